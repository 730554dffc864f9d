"""Loops over records and boxes of values, for searches and bounds of local recoding."""
