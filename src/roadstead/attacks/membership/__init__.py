"""Guess whether a person is in a release, and audit mechanisms by repeated runs."""
