"""Build generalization hierarchies, which give each value a label at each level."""
