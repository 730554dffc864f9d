"""Experiments: the papers' results, ours beside the published ones."""
