"""Frontiers: searches for all good trades between risk and loss."""
