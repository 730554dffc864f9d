"""Generalization hierarchies: what a level does to a value, and how much it covers."""
