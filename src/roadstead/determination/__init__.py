"""Determinations: people's answers combined with measured figures, for regulators."""
