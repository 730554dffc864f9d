"""Treatments of released columns that are not quasi-identifiers: microaggregation and rounding."""
