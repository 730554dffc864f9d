"""The command ``sign``."""
