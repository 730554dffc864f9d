"""The command ``key``."""
