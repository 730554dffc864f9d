"""Find the frontier of policies: the best trade-offs between risk and loss."""

SAFE_HARBOR, MODELS_HOLD = "safe-harbor", "models"
"""Words that can replace a number as the threshold of the risk."""
