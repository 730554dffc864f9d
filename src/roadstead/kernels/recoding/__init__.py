"""Loops of the searches for recodings, and of the bounds on what these must lose."""
