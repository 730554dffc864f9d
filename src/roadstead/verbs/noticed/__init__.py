"""Findings about the values of columns, as sentences for every output."""
