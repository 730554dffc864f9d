"""Attacks on Roadstead's own recodings, run before a release is trusted."""
