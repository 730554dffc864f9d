"""Refine cuts by specializing each kind of attribute, and track the partitions."""
