"""Experiments that compare our results with the published results of papers."""
