"""Read the settings of a request about people."""
