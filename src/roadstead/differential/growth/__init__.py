"""Refine cuts: the partitions, and each kind of attribute as it is specialized."""
