"""Checks for the tests of packages that extend Roadstead."""
