"""Searches for releases that generalize each class of records in a different way."""
