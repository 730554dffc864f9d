"""Determinations: people's answers, merged with measured figures, for regulators."""
