"""Differentially private releases: the files of these releases, and the checks of the files."""
