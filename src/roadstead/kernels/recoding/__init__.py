"""Loops over rows and classes of recodings."""
