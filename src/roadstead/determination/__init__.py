"""Combine people's answers with measured figures into documents for regulators."""
