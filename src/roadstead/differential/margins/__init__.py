"""Private tables for every use: noisy margins, the model that agrees with them, records of it."""
