"""Measure how useful a release is: accuracy of classifiers, and similarity to the table."""
