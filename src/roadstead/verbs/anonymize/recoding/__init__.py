"""Find a release whose classes have different levels of detail."""
