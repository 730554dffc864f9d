"""Signatures, which show who is responsible for a release and which other tools can check."""
