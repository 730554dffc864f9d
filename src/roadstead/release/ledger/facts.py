"""Represent the result of comparing a release with earlier releases about the same people.

The facts do not contain values from the data. Reports generate sentences from these facts. If a
release is published in spite of a finding, the certificate contains the facts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT

OverlayKind: TypeAlias = Literal[
    "added", "removed", "newcomers", "intersection", "values", "parts", "together", "joined"
]
WhyNotLaid: TypeAlias = Literal["private", "columns", "dates", "size"]
WhyPartly: TypeAlias = Literal["people", "columns", "treated"]
Natural: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=STRICT)
class OverlayFinding:
    """A group of too few people that several releases reveal together.

    The meaning depends on the kind:

    - `added` and `removed`: classes to which fewer than `least` records were added, or from which
      fewer than `least` records were removed;
    - `newcomers`: classes whose new records have fewer than `least` values of `column`. The policy
      requires `least` values in each class;
    - `intersection`: groups of fewer than `least` records that are identical in both releases;
    - `values`: classes whose records in both releases, or in all of several releases, can have
      fewer than `least` values of `column`;
    - `parts`: classes in which fewer than `least` records remain if the parts are subtracted from
      the whole;
    - `together`: groups of fewer than `least` records that are identical in all of the releases;
    - `joined`: groups of fewer than `least` people who match one record in each release, if the
      pseudonyms of the releases are joined.

    If `unit` is a person, people are counted instead of records. If `masked` is true, the finding
    depends on the suppressed records, which both releases keep.
    """

    kind: OverlayKind
    earlier: str  # the ledger entry of the earlier release
    classes: Annotated[int, Field(ge=1, lt=2**63)]
    least: Annotated[int, Field(ge=1, lt=2**63)]
    smallest: Natural | None  # the smallest number; None if the certificate must not show it
    column: str | None = None
    unit: Literal["record", "person"] = "record"
    others: tuple[str, ...] = ()  # other earlier releases that contribute to the finding
    masked: bool = False


class SetsTried(NamedTuple):
    """The findings from sets of releases, classes, or values."""

    findings: tuple[OverlayFinding, ...]
    cut_short: bool  # whether some sets were not tried


@checked_dataclass(frozen=True, config=STRICT)
class NotLaid:
    """An earlier release that could not be compared with the new release, and the reason."""

    earlier: str
    why: WhyNotLaid


@checked_dataclass(frozen=True, config=STRICT)
class PartlyLaid:
    """An earlier release that was compared only in part, and the reason.

    - `people`: the earlier release counts people, but the new release counts records, or each
      person has only one record although people had several records before;
    - `columns`: `columns` are new, and the new table lacks columns of the earlier release;
    - `treated`: `columns` are released in another form than in the earlier release.
    """

    earlier: str
    why: WhyPartly
    columns: tuple[str, ...] = ()


@checked_dataclass(frozen=True, config=STRICT)
class Overlay:
    """The comparison of a new release with all earlier releases of the same people."""

    same_policy: Natural  # number of earlier releases under the same policy
    other_policy: Natural  # number of earlier releases under a different policy
    same_table: Natural  # earlier releases of exactly the same records
    findings: tuple[OverlayFinding, ...] = ()
    not_laid: tuple[NotLaid, ...] = ()
    # For each column, the largest number of classes whose set of values changed since an earlier
    # release under the same policy. If the number is 0, no person's set of possible values changed.
    changed_sets: dict[str, Natural] = Field(default_factory=dict)
    unit: Literal["record", "person"] = "record"  # the unit that is counted
    # Whether some sets of releases or classes were not examined because there were too many.
    cut_short: bool = False
    # Whether only earlier releases set a group size.
    no_size: bool = False
    # For each earlier release with common pseudonyms, the number of people in both releases.
    joined: dict[str, Natural] = Field(default_factory=dict)
    # For each earlier release without a common label in some column, the first such column.
    unlike: dict[str, str] = Field(default_factory=dict)
    # Earlier releases that were compared only in part.
    partly: tuple[PartlyLaid, ...] = ()
    # The number of earlier releases with pseudonyms made with a key that share none with this one.
    strange: Natural = 0
    # The number of releases of people with another name, with which nothing was compared.
    apart: Natural = 0

    @property
    def compared(self) -> int:
        """Return the number of earlier releases that were compared with this release."""
        return self.same_policy + self.other_policy

    @property
    def earlier(self) -> int:
        """Return the number of earlier releases, including those that were not compared."""
        return self.compared + len(self.not_laid)

    @property
    def missed(self) -> int:
        """Return the number of earlier releases with groups that were not compared."""
        return sum(one.why != "private" for one in self.not_laid)

    @property
    def incomplete(self) -> bool:
        """Return whether a release with groups was not compared, or was compared only in part."""
        return bool(self.missed or self.unlike or self.partly)

    def for_sharing(self) -> Overlay:
        """Return the facts, except numbers that the releases themselves do not reveal."""
        kept = tuple(
            replace(one, smallest=None) if one.kind in ("intersection", "together") else one
            for one in self.findings
        )
        return replace(self, findings=kept)


_OVERLAY: TypeAdapter[Overlay] = TypeAdapter(Overlay)


def overlay_of(document: dict[str, Any]) -> Overlay:
    """Return the comparison in a document."""
    return _OVERLAY.validate_python(document)


def document_of_overlay(overlay: Overlay) -> dict[str, Any]:
    """Return a comparison as it is written in the certificate."""
    return overlay_in_document(_OVERLAY.dump_python(overlay, mode="json"))


def overlay_in_document(overlay: dict[str, Any]) -> dict[str, Any]:
    """Return an overlay as a document that omits fields with default values."""
    usual = {
        "unit": "record",
        "cut_short": False,
        "no_size": False,
        "joined": {},
        "unlike": {},
        "partly": [],
        "strange": 0,
        "apart": 0,
        "others": [],
        "masked": False,
    }
    return {
        key: [_without(one, usual) for one in value] if key == "findings" else value
        for key, value in _without(overlay, usual).items()
    }


def _without(document: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in document.items() if key not in usual or value != usual[key]
    }
