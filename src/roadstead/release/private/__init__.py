"""Differentially private releases: what they are written as, and how they are checked."""
