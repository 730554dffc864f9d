"""Code systems, such as postal codes and classifications: one file each in ``data``."""
