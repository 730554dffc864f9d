"""Create private tables for general use.

The process has three steps: count noisy margins, fit a model to them, and draw records from the
model.
"""
