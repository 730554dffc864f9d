"""Full-domain generalization of a random sample, differentially private without noise (SafePub)."""
