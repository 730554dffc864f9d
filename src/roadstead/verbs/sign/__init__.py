"""Sign."""
