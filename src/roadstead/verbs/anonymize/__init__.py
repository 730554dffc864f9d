"""The command ``anonymize``."""
