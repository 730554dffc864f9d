"""What private releases are made of: one file for each kind."""
