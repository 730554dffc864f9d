"""Private tables for every use: noisy margins, a model that agrees with them, and its records."""
