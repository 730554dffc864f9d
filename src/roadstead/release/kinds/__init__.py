"""The kinds of releases, a file each, named as the kind is."""
