"""Loops of the searches for local recodings, and of the bounds on what these must lose."""
