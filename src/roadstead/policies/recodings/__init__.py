"""Policies that generalize each class of records in a different way."""
