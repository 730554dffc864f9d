"""The parts of private releases, with one file per kind of release."""
