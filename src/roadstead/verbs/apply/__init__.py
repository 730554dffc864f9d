"""The command ``apply``."""
