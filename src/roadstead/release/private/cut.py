"""cut.json: how detailed each attribute is, so that any other record can be generalized alike.

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

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.differential.attribute_cuts import (
    AttributeCut,
    CategoricalCut,
    NumericCut,
    SetCut,
)
from roadstead.differential.domains import CategoricalDomain, NumericDomain, SetDomain
from roadstead.errors import InputError, VerificationError
from roadstead.release.documents import STRICT, read_document, write_json
from roadstead.release.private.cells import names_of
from roadstead.release.private.taxonomies import (
    Number,
    TaxonomyDocument,
    document_of_taxonomy,
    taxonomy_of,
)

CUT = "cut.json"


@checked_dataclass(frozen=True, config=STRICT)
class NumericEntry:
    """Intervals of a range."""

    attribute: str
    low: str  # both ends are included
    high: str
    step: str  # the smallest difference that counts
    bounds: tuple[Number, ...]  # where intervals begin, in steps, and the end of the last
    names: tuple[str, ...]
    kind: Literal["numeric"] = "numeric"


@checked_dataclass(frozen=True, config=STRICT)
class TaxonomyEntry:
    """Nodes of a taxonomy that cover each of its values once."""

    attribute: str
    kind: Literal["categorical", "set"]  # whether a record has one value or a set of them
    nodes: tuple[Number, ...]
    names: tuple[str, ...]
    taxonomy: TaxonomyDocument


Entry: TypeAlias = Annotated[NumericEntry | TaxonomyEntry, Field(discriminator="kind")]


@checked_dataclass(frozen=True, config=STRICT)
class CutDocument:
    """The document; classes and attributes are in the order of the tables' columns."""

    target: str  # the column of the class
    classes: Annotated[tuple[str, ...], Field(min_length=1)]
    attributes: Annotated[tuple[Entry, ...], Field(min_length=1)]
    roadstead_cut: Literal[1] = 1


_DOCUMENT: TypeAdapter[CutDocument] = TypeAdapter(CutDocument)


def document_of(cuts: Sequence[AttributeCut], target: str, classes: Sequence[str]) -> CutDocument:
    """Write cuts down; a `SettingError` if a taxonomy's rule cannot be."""
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
    """Read a document; what it says is not yet checked."""
    return read_document(path, _DOCUMENT, "it", where=path.name)


def cut_of(entry: NumericEntry | TaxonomyEntry) -> AttributeCut:
    """Build the cut that an entry describes, and prove that it is one.

    A `VerificationError` says that its domain is none, that a value is covered twice or not at all,
    or that its names are not its own.
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
    """Say why the places of a cut do not cover its domain once, if they do not."""
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
