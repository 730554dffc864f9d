"""What a release is good for: classifiers that learn from it, and what is kept of the table."""
