"""Verbs: what a user asks for, each whole, for the command line and for Python alike."""
