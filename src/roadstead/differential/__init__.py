"""Differentially private release: noisy counts of generalized records, whoever looks at them."""
