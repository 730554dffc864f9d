"""Attack releases: measure how much an attacker gains over guessing, before publication."""
