"""The parts of private releases: one file per kind."""
