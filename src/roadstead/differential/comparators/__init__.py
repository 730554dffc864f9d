"""What else could be released for the same purpose."""
