"""The result of comparing a release with earlier ones of the same people: numbers, no values.

The reports make sentences from these facts (`roadstead.reports.ledger`). If a release is published
despite a finding, its certificate contains them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT

OverlayKind: TypeAlias = Literal[
    "added", "removed", "newcomers", "intersection", "values", "parts", "together"
]
WhyNotLaid: TypeAlias = Literal["private", "columns", "dates", "size"]
Natural: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=STRICT)
class OverlayFinding:
    """A group of fewer people than either release permits, which two releases reveal together.

    The meaning depends on the kind:

    - `added` and `removed`: classes that reveal that fewer than `least` records were added or
      removed;
    - `newcomers`: classes whose new records have fewer than `least` values of `column`, the number
      that the policy requires of each class;
    - `intersection`: groups of fewer than `least` records that are identical in both;
    - `values`: classes whose records in both can have fewer than `least` values of `column`;
    - `parts`: classes with fewer than `least` records left when the earlier release and `others`
      are subtracted from a larger one, or it from them;
    - `together`: groups of fewer than `least` records that are identical in all of these.

    If `unit` is a person, people are counted instead of records. `masked`: the finding requires the
    suppressed records, which both releases keep.
    """

    kind: OverlayKind
    earlier: str  # the entry of the earlier release
    classes: Annotated[int, Field(ge=1, lt=2**63)]
    least: Annotated[int, Field(ge=1, lt=2**63)]
    smallest: Natural | None  # of these; None if the certificate must not show it
    column: str | None = None
    unit: Literal["record", "person"] = "record"
    others: tuple[str, ...] = ()  # further earlier releases that it requires
    masked: bool = False


@checked_dataclass(frozen=True, config=STRICT)
class NotLaid:
    """An earlier release that could not be compared with the new release, and the reason."""

    earlier: str
    why: WhyNotLaid


@checked_dataclass(frozen=True, config=STRICT)
class Overlay:
    """A new release, compared with all earlier ones of the same people."""

    same_policy: Natural  # earlier releases under the same policy
    other_policy: Natural  # under another policy
    same_table: Natural  # of the latter, those made from exactly the same records
    findings: tuple[OverlayFinding, ...] = ()
    not_laid: tuple[NotLaid, ...] = ()
    # By column, the number of classes whose set of values changed since an earlier release under
    # the same policy. Only the largest number is kept. If it is 0, no person's set of possible
    # values changed.
    changed_sets: dict[str, Natural] = Field(default_factory=dict)
    unit: Literal["record", "person"] = "record"  # what is counted
    # Whether some sets of releases or of classes were not tried, because there are too many.
    cut_short: bool = False
    # Whether the new release sets no size of groups, so that only earlier ones set a limit.
    no_size: bool = False

    @property
    def earlier(self) -> int:
        """The number of earlier releases."""
        return self.same_policy + self.other_policy + len(self.not_laid)

    def for_sharing(self) -> Overlay:
        """Return the facts without numbers that the two releases do not reveal by themselves."""
        kept = tuple(
            replace(one, smallest=None) if one.kind in ("intersection", "together") else one
            for one in self.findings
        )
        return replace(self, findings=kept)


def overlay_in_document(overlay: dict[str, Any]) -> dict[str, Any]:
    """Return an overlay for a document without the fields that have their usual values."""
    usual = {"unit": "record", "cut_short": False, "no_size": False, "others": [], "masked": False}
    return {
        key: [_without(one, usual) for one in value] if key == "findings" else value
        for key, value in _without(overlay, usual).items()
    }


def _without(document: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in document.items() if key not in usual or value != usual[key]
    }
