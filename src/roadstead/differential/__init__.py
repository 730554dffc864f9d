"""Create differentially private releases, which contain noisy counts of generalized records."""
