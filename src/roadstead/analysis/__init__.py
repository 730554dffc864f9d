"""The usefulness of a release: distributions, classifiers, and regressions."""
