"""What a release is good for: distributions, classifiers and regressions."""
