"""The frontier of policies: every good trade-off between risk and loss."""

SAFE_HARBOR, MODELS_HOLD = "safe-harbor", "models"
"""Possible names in place of a number for the threshold of the risk."""
