"""Findings about the values of columns, as sentences for all outputs."""
