"""Collect the parts of private releases, with one module for each kind of release."""
