"""Policies: what a release does to each attribute, and the lattices of all of them."""
