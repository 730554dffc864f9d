"""Checks of a release from its files."""
