"""What a release is good for: distributions, classifiers and regressions, beside the original's."""
