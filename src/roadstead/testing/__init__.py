"""Contract suites: what must hold of every part that another package adds, for its own tests."""
