"""Loops of the searches for recodings."""
