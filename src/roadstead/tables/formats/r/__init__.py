"""Read and write R data files."""
