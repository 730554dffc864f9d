"""Treatments of columns that are not quasi-identifiers, by microaggregation or rounding."""
