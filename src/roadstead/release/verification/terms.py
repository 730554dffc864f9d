"""Describe the privacy requirements of a release, which every verdict names.

A verdict that a release passed means only that the files agree with the certificate. But the
certificate may not require anything. So a verdict also names the models, the columns, and the
highest risk of a released record. A release `reassures` only if a requirement applies and no record
has a risk above 1/2, including masked records and records whose generalization a column undoes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from roadstead.printable import named

if TYPE_CHECKING:
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.release.certificate import MeasuredRisk, RiskIfUndone

MOST_RISK: Final = 1 / 2
"""The highest record risk at which a verdict may still be reassuring."""
_SLACK = 1e-9
_MOST_NAMED = 30
"""The largest number of columns that a verdict names."""
_AT_LEAST = ("k", "l")
"""The parameters that do not limit anything at values of 1 or below."""
_AT_MOST = ("t", "maximum", "average", "at_risk")
"""The parameters that do not limit anything at values of 1 or above."""


@dataclass(frozen=True)
class PromiseTerms:
    """The privacy requirements, their columns, and the highest risk of a released record.

    Attributes
    ----------
    models
        The names of the models that limit something. Without such models, no privacy requirement
        applies.
    about
        The names of the columns that an attacker may know.
    highest_risk
        The highest risk of the released records or people; None if it is not measured.
    highest_risk_of_masked, masked_records
        The risk of each masked record, and the number of these records; None if it is not measured.
    risk_if_undone
        The certified risk if columns that are released anyway undo the generalization of others.
    not_kept
        The names of the declared requirements that the release does not meet.
    """

    models: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    highest_risk: float | None = None
    not_kept: tuple[str, ...] = ()
    highest_risk_of_masked: float | None = None
    masked_records: int | None = None
    risk_if_undone: RiskIfUndone | None = None
    _of_columns: tuple[str, ...] = ()

    @property
    def promised(self) -> bool:
        """Return whether a privacy requirement applies to the quasi-identifiers."""
        return bool(self.models)

    @property
    def reassures(self) -> bool:
        """Return whether requirements apply, all of them are met, and no risk is above 1/2."""
        return self.promised and not self.not_kept and not self.risky

    @property
    def worst_risk(self) -> float | None:
        """Return the highest of the three risks, or None if no risk is measured."""
        undone = None if self.risk_if_undone is None else self.risk_if_undone.maximum
        risks = (self.highest_risk, self.highest_risk_of_masked, undone)
        return max((one for one in risks if one is not None), default=None)

    @property
    def risks(self) -> dict[str, Any]:
        """Return the three risks for documents."""
        undone = self.risk_if_undone
        return {
            "highest_risk": self.highest_risk,
            "highest_risk_of_masked": self.highest_risk_of_masked,
            "masked_records": self.masked_records,
            "risk_if_undone": None if undone is None else asdict(undone),
        }

    @property
    def risky(self) -> bool:
        """Return whether a record has a risk above 1/2."""
        return self.worst_risk is not None and self.worst_risk > MOST_RISK + _SLACK

    @property
    def clause(self) -> str:
        """Return the requirements with their columns, such as "5-anonymity of age, sex".

        If no requirement applies, the string is empty.
        """
        own = [name for name in self.models if name not in self._of_columns]
        others = [name for name in self.models if name in self._of_columns]
        first, rest = (own, others) if own else (others, [])
        if not first:
            return ""
        said = " and ".join(first)
        if self.about:
            shown, more = self.about[:_MOST_NAMED], len(self.about) - _MOST_NAMED
            said += f" {'by' if ' of ' in said else 'of'} {', '.join(shown)}"
            said += f" and {more:,} more column{'s' if more > 1 else ''}" if more > 0 else ""
        return " and ".join([said, *rest])


NO_TERMS: Final = PromiseTerms()
"""The terms of a release without privacy requirements for the quasi-identifiers."""


def terms_of(
    quasi: Sequence[str],
    models: Sequence[PrivacyModel],
    risk: MeasuredRisk | None,
    not_kept: Sequence[str] = (),
) -> PromiseTerms:
    """Return the terms of a table that is released under privacy models."""
    binding = [model for model in models if bounds_something(model.settings())]
    return PromiseTerms(
        tuple(named(model.name) for model in binding),
        tuple(map(named, quasi)),
        None if risk is None else risk.maximum,
        tuple(not_kept),
        None if risk is None else risk.maximum_of_masked,
        None if risk is None else risk.masked,
        None if risk is None else risk.if_undone,
        tuple(named(model.name) for model in binding if model.columns),
    )


def bounds_something(settings: Mapping[str, Any]) -> bool:
    """Return whether a model with these settings limits anything."""
    inner = settings.get("model")
    own = {**settings, **inner} if isinstance(inner, Mapping) else settings
    least = [own[key] for key in _AT_LEAST if isinstance(own.get(key), int | float)]
    most = [own[key] for key in _AT_MOST if isinstance(own.get(key), int | float)]
    return any(one > 1 for one in least) or any(one < 1 for one in most) or not (least or most)
