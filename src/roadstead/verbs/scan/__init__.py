"""The command ``scan``."""
