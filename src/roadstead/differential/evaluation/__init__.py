"""The usefulness of a release: classifiers that learn from it, and preserved figures."""
