"""Differentially private release: noisy counts of generalized records."""
