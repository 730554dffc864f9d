"""Policies under which classes of records are generalized each in its own way."""
