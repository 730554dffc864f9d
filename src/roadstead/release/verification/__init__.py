"""Checks of a release from what stands in its files."""
