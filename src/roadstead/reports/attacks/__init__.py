"""Describe the results of attacks on a release in words: as lines, as a page, and as JSON."""
