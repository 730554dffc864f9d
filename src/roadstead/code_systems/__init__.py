"""Read code systems, such as postal codes and classifications, from the files in ``data``."""
