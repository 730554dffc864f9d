"""Verbs: the commands, each complete, for the command line and for Python."""
