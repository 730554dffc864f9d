"""Microaggregation and rounding of released columns: the new values and the lost information."""
