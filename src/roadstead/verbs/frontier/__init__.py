"""Find the policies with the best trade-offs between risk and loss: the frontier."""

SAFE_HARBOR, MODELS_HOLD = "safe-harbor", "models"
"""Words that can replace a number as the risk threshold."""
