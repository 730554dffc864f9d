"""Attack."""
