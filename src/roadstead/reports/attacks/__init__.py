"""Describe the results of attacks on a release as lines, as a page, and as JSON."""
