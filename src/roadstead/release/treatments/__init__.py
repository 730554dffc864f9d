"""Treat released columns by microaggregation or rounding."""
