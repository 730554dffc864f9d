"""The command ``risk``."""
