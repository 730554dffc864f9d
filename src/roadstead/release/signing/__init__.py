"""Signatures: who stands behind a release, so that others can check it with tools of their own."""
