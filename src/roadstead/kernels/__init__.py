"""Compiled inner loops, each of which the tests compare with a plain NumPy version."""
