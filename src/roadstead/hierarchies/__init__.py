"""Generalization hierarchies: the effect of a level on a value, and what a label covers."""
