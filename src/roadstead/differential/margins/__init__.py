"""Make private tables for general use: count noisy margins, fit a model, and draw records."""
