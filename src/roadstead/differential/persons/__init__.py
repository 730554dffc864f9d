"""Limit each person to a few rows or to one record, so that people can be protected."""
