"""Searches for frontiers: all good compromises between risk and loss."""
