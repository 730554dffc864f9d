"""Generalization hierarchies: the label of a value at each level, and the values of each label."""
