"""The kinds of releases, with one module per kind."""
