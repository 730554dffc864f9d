"""The frontier of policies: every good trade between risk and loss."""

SAFE_HARBOR, MODELS_HOLD = "safe-harbor", "models"
"""What may stand for the threshold of the risk."""
