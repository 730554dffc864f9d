"""List all attacks by name."""

from __future__ import annotations

from roadstead.registry import classes_in

ATTACKS = classes_in("roadstead.attacks.kinds", "name", "roadstead.attacks", default="scan")
"""The class of each attack, by name."""
