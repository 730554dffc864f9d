"""Microaggregation and rounding of released columns: what each value becomes, and what is lost."""
