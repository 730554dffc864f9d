"""Policies, which define how a release changes each attribute, and lattices of policies."""
