"""Proven lower bounds on what any recoding loses."""
