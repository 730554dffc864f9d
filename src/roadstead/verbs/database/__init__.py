"""Anonymize a set of tables together."""
