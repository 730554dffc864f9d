"""cut.json: how far each attribute is told, so that any other record can be generalized alike.

For each attribute the document holds its whole domain, the places of its cut, and what they are
called in the tables. All of it is public: the domain was declared, and the cut was chosen
privately. It is all that is needed to place next year's records in the same groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal, DecimalException
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.differential.attribute_cuts import (
    AttributeCut,
    CategoricalCut,
    NumericCut,
    SetCut,
)
from roadstead.differential.domains import CategoricalDomain, NumericDomain, SetDomain
from roadstead.errors import InputError, VerificationError
from roadstead.printable import named
from roadstead.regular_files import content_of
from roadstead.release.certificate import write_json
from roadstead.release.private.cells import names_of
from roadstead.release.private.taxonomies import (
    Number,
    TaxonomyDocument,
    document_of_taxonomy,
    taxonomy_of,
)

CUT = "cut.json"
_STRICT = ConfigDict(extra="forbid")


@checked_dataclass(frozen=True, config=_STRICT)
class NumericEntry:
    """Intervals of a range.

    Attributes
    ----------
    attribute
        The column.
    low, high, step
        The range, both ends included, and the smallest difference that is told.
    bounds
        Where intervals begin, in steps from `low`, and the end of the last.
    names
        What each interval is called.
    """

    attribute: str
    low: str
    high: str
    step: str
    bounds: tuple[Number, ...]
    names: tuple[str, ...]
    kind: Literal["numeric"] = "numeric"


@checked_dataclass(frozen=True, config=_STRICT)
class TaxonomyEntry:
    """Nodes of a taxonomy that cover each of its values once.

    Attributes
    ----------
    attribute
        The column or the set-valued attribute.
    kind
        Whether a record has one value or a set of them.
    nodes
        The nodes, by number.
    names
        What each is called.
    taxonomy
        The whole tree.
    """

    attribute: str
    kind: Literal["categorical", "set"]
    nodes: tuple[Number, ...]
    names: tuple[str, ...]
    taxonomy: TaxonomyDocument


Entry: TypeAlias = Annotated[NumericEntry | TaxonomyEntry, Field(discriminator="kind")]


@checked_dataclass(frozen=True, config=_STRICT)
class CutDocument:
    """The document.

    Attributes
    ----------
    target
        The column of the class.
    classes
        Its values, in the order of the tables' columns.
    attributes
        One entry for each attribute, in the order of the tables' columns.
    roadstead_cut
        Version of this format.
    """

    target: str
    classes: Annotated[tuple[str, ...], Field(min_length=1)]
    attributes: Annotated[tuple[Entry, ...], Field(min_length=1)]
    roadstead_cut: Literal[1] = 1


_DOCUMENT: TypeAdapter[CutDocument] = TypeAdapter(CutDocument)


def document_of(cuts: Sequence[AttributeCut], target: str, classes: Sequence[str]) -> CutDocument:
    """Write cuts down.

    Raises
    ------
    SettingError
        A taxonomy finds its values by a rule that cannot be written down.
    """
    return CutDocument(target, tuple(classes), tuple(_entry(cut) for cut in cuts))


def _entry(cut: AttributeCut) -> NumericEntry | TaxonomyEntry:
    names = names_of(cut)
    if isinstance(cut, NumericCut):
        domain = cut.domain
        ends = (str(domain.low), str(domain.high), str(domain.step))
        return NumericEntry(domain.attribute, *ends, bounds=cut.bounds, names=names)
    return TaxonomyEntry(
        attribute=cut.attribute,
        kind="set" if isinstance(cut, SetCut) else "categorical",
        nodes=cut.nodes,
        names=names,
        taxonomy=document_of_taxonomy(cut.domain.taxonomy),
    )


def write_cut(document: CutDocument, path: Path) -> None:
    """Write a document as JSON."""
    entries = asdict(document)
    head = {"roadstead_cut": entries.pop("roadstead_cut")}
    write_json({**head, **entries}, path)


def read_cut(path: Path) -> CutDocument:
    """Read a document; what it says is not yet checked.

    Raises
    ------
    VerificationError
        There is none, or it is not one.
    """
    try:
        return _DOCUMENT.validate_json(content_of(path, own=True))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(named(str(part)) for part in first["loc"]) or "the document"
        raise VerificationError(f"it is damaged at {place}", where=path.name) from None
    except OSError as error:
        raise VerificationError(f"it cannot be read ({error.strerror})", where=path.name) from None


def cut_of(entry: NumericEntry | TaxonomyEntry) -> AttributeCut:
    """Build the cut that an entry describes, and prove that it is one.

    Raises
    ------
    VerificationError
        Its domain is none, a value is covered twice or not at all, or its names are not its own.
    """
    try:
        cut = _cut(entry)
    except InputError as error:
        raise VerificationError(error.what, where=error.where) from None
    except DecimalException:
        raise VerificationError("the range does not consist of numbers") from None
    if (fault := _fault(cut)) is not None:
        raise VerificationError(fault)
    if entry.names != names_of(cut):
        raise VerificationError("the names are not those of its places")
    return cut


def _cut(entry: NumericEntry | TaxonomyEntry) -> AttributeCut:
    if isinstance(entry, NumericEntry):
        low, high, step = (Decimal(text) for text in (entry.low, entry.high, entry.step))
        return NumericCut(NumericDomain(entry.attribute, low, high, step), entry.bounds)
    taxonomy = taxonomy_of(entry.taxonomy, entry.attribute)
    if max(entry.nodes, default=0) >= taxonomy.nodes:
        raise VerificationError("a node is not in the taxonomy")
    if entry.kind == "set":
        return SetCut(SetDomain(taxonomy), entry.nodes)
    return CategoricalCut(CategoricalDomain(taxonomy), entry.nodes)


def _fault(cut: AttributeCut) -> str | None:
    """Tell why the places of a cut do not cover its domain once, if they do not."""
    if isinstance(cut, NumericCut):
        bounds, size = cut.bounds, cut.domain.size
        ascending = all(one < other for one, other in pairwise(bounds))
        if len(bounds) < 2 or not ascending or (bounds[0], bounds[-1]) != (0, size):  # noqa: PLR2004 - an interval has two
            return "the intervals do not cover the range once"
        return None
    taxonomy, nodes = cut.domain.taxonomy, list(cut.nodes)
    begins = [*taxonomy.first[nodes].tolist(), taxonomy.size]
    ends = [0, *taxonomy.last[nodes].tolist()]
    return None if begins == ends else "the nodes do not cover each value once"
