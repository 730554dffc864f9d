"""Measure how useful a release is, by classifier accuracy and by similarity to the table."""
