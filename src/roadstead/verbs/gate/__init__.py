"""The command ``gate``."""
