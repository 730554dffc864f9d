"""Find releases whose classes have different levels of detail."""
