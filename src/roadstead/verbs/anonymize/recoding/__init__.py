"""Releases whose classes differ in what they show: what is refused, and how one is found."""
