"""The command ``synthesize``."""
