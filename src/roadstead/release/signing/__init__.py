"""Signatures, which show who is responsible for a release; other tools can check them."""
