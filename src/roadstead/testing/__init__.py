"""Contract suites: what a store, a model or a search of another package has to keep."""
