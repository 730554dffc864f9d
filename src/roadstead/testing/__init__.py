"""Checks for the tests of packages that add a part to Roadstead."""
