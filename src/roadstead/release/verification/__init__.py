"""Check a release from its files."""
