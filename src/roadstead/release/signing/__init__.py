"""Signatures: who is responsible for a release, in a form that other tools can check."""
