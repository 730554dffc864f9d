"""Attacks on recodings of our own, tried before a release is believed."""
