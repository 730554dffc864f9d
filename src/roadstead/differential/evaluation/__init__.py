"""Measure how useful a release is: classifiers that learn from it, and preserved figures."""
