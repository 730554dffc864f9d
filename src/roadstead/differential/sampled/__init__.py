"""Generalize a random sample with differential privacy and without noise (SafePub)."""
