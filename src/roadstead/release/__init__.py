"""Releases: a policy applied to a table, and the proof that it was applied."""
