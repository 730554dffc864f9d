"""Searches for frontiers, which contain all good compromises between risk and loss."""
