"""Whole databases out: one set of persons, keys renumbered, dates moved, rare codes generalized."""
