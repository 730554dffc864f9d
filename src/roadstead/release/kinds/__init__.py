"""The kinds of releases: one file per kind, with the name of the kind."""
