"""Perform the work of the step Explore: a frontier, a candidate's release, and comparisons."""
