"""The command ``evaluate``."""
