"""Contract suites: checks that every part from another package must pass, for its own tests."""
