"""Policies in which each class of records is generalized in a different way."""
