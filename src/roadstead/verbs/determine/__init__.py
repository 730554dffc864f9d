"""The command ``determine``."""
