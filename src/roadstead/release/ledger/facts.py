"""What came out when a release was laid over earlier ones of the same people: numbers, no value.

Words are made of these facts by whoever shows them (`roadstead.reports.ledger`). The certificate of
a release that left nevertheless keeps them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.release.documents import STRICT

OverlayKind: TypeAlias = Literal[
    "added", "removed", "newcomers", "intersection", "values", "parts", "together"
]
WhyNotLaid: TypeAlias = Literal["private", "columns", "dates", "size"]
Natural: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=STRICT)
class OverlayFinding:
    """What two releases tell together of fewer people than either promises.

    `added` and `removed`: classes that show fewer than `least` records to have come or gone;
    `newcomers`: classes whose newcomers show fewer than `least` values of `column`, as many as the
    policy promises of each class; `intersection`: groups of fewer than `least` records that are
    alike in both; `values`: classes whose records in both can have fewer than `least` values of
    `column`; `parts`: classes of which fewer than `least` records are left when the earlier release
    and `others` are taken from a larger one, or it from them; `together`: groups of fewer than
    `least` records that are alike in all of these. Where `unit` is a person, read persons for
    records. `masked`: the suppressed records, which both releases keep, are needed to see it.
    """

    kind: OverlayKind
    earlier: str  # the entry of the earlier release
    classes: Annotated[int, Field(ge=1, lt=2**63)]
    least: Annotated[int, Field(ge=1, lt=2**63)]
    smallest: Natural | None  # of these; None where the certificate is not to tell
    column: str | None = None
    unit: Literal["record", "person"] = "record"
    others: tuple[str, ...] = ()  # further earlier releases that it takes
    masked: bool = False


@checked_dataclass(frozen=True, config=STRICT)
class NotLaid:
    """An earlier release that the new one could not be laid over, and why."""

    earlier: str
    why: WhyNotLaid


@checked_dataclass(frozen=True, config=STRICT)
class Overlay:
    """A new release, laid over all earlier ones of the same people."""

    same_policy: Natural  # earlier releases under the same policy
    other_policy: Natural  # and under another
    same_table: Natural  # of the latter, how many were made of the very same records
    findings: tuple[OverlayFinding, ...] = ()
    not_laid: tuple[NotLaid, ...] = ()
    # Classes whose set of values changed since an earlier release under the same policy, by column;
    # only the largest number is kept. Where it is 0 no person's set of possible values changed.
    changed_sets: dict[str, Natural] = Field(default_factory=dict)
    unit: Literal["record", "person"] = "record"  # what is counted
    # Whether not all sets of releases or of classes were tried, because there are too many.
    cut_short: bool = False
    # Whether the new release promises no size of groups, so that only earlier ones say how small
    # one may be.
    no_size: bool = False

    @property
    def earlier(self) -> int:
        """How many earlier releases there are."""
        return self.same_policy + self.other_policy + len(self.not_laid)

    def for_sharing(self) -> Overlay:
        """Leave out what the two releases do not say by themselves."""
        kept = tuple(
            replace(one, smallest=None) if one.kind in ("intersection", "together") else one
            for one in self.findings
        )
        return replace(self, findings=kept)


def overlay_in_document(overlay: dict[str, Any]) -> dict[str, Any]:
    """Leave out of an overlay, as a document has it, what says no more than the usual."""
    usual = {"unit": "record", "cut_short": False, "no_size": False, "others": [], "masked": False}
    return {
        key: [_without(one, usual) for one in value] if key == "findings" else value
        for key, value in _without(overlay, usual).items()
    }


def _without(document: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in document.items() if key not in usual or value != usual[key]
    }
