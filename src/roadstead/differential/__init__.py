"""Make differentially private releases: noisy counts of generalized records."""
