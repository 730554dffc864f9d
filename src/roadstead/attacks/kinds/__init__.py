"""Define the attacks, one per file."""
