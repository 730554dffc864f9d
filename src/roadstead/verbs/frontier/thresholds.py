"""What a risk of the frontier may be bounded by."""

from __future__ import annotations

from roadstead.errors import SettingError
from roadstead.front_end import option as named

SAFE_HARBOR, MODELS_HOLD = "safe-harbor", "models"


def check_share(risk: float, key: str) -> float:
    """Refuse a bound on the risk that is no share of the original data's."""
    if not 0.0 <= risk <= 1.0:
        raise SettingError(
            f"the risk is {risk:g}, and must be from 0 to 1",
            where=named(key),
            fix="give a share of the original data's risk, such as 0.1",
        )
    return risk
