"""Differentially private releases: their files, and the checks of these files."""
