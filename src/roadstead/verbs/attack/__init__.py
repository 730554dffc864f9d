"""The command ``attack``."""
