"""What attacks on a release found, in words: lines, a page, JSON."""
