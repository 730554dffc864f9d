"""The command ``repeat``."""
