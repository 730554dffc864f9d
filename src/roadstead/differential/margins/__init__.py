"""Private tables for general use: noisy margins, a model that agrees with them, and its records."""
