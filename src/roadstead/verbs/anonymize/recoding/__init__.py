"""Find releases that show different levels of detail per class, and refuse unsupported settings."""
