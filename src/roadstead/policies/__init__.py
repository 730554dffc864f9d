"""Policies: how a release changes each attribute, and the lattices of all policies."""
