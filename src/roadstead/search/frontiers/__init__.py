"""Frontiers: searches for all good compromises between risk and loss."""
