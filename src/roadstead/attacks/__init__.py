"""Attacks on releases: what somebody gains over guessing, measured before it leaves."""
