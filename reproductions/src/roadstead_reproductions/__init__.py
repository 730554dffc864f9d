"""Experiments: the papers' results, our own compared with the published ones."""
