"""Policies, which define how a release changes each attribute, and the lattices of policies."""
