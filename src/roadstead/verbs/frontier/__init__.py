"""Frontier."""
