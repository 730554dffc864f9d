"""Roadstead: share health data beyond Safe Harbor, and prove how safe that is."""

__version__ = "0.1.0"
