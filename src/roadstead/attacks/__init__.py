"""Attacks on releases: how much an attacker gains over guessing, measured before publication."""
