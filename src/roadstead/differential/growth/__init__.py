"""Refine cuts: the partitions, and the specialization of each kind of attribute."""
