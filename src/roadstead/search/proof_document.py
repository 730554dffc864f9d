"""Write a proof of optimality, with the claim, hierarchies, table, and steps, as JSON.

A checker needs only the document and the table. The document contains the distinct values of the
table and the exact loss. It is therefore as confidential as the table
(`docs/methods/checking-optimality.md`).
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.full_domain import Levels
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.models.t_closeness import TCloseness
from roadstead.privacy.protocol import PrivacyModel
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.optimality_proof import OptimalityProof, below, losses_of
from roadstead.search.protocol import Candidate
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import PersonTable

FORMAT, VERSION = "roadstead-proof", 1
_FRACTIONS = frozenset({"c", "t"})
"""The model settings that can be numbers other than whole numbers."""


@dataclass(frozen=True)
class ReadingOfTable:
    """The format in which a checker reads the table from a CSV file.

    For each quasi-identifier or sensitive column, `missing` lists the strings that represent a
    missing value.
    """

    delimiter: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    header: bool = True
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ProofTerms:
    """The requirements (`proof_requirement`), and the largest share of the records to suppress.

    `sensitive` is the column whose values the requirements count, or None if there is none.
    """

    requirements: tuple[Mapping[str, Any], ...]
    share: float
    sensitive: str | None = None


def proof_bytes(
    problem: FullDomainProblem,
    best: Candidate[Levels],
    proof: OptimalityProof,
    terms: ProofTerms,
    reading: ReadingOfTable,
) -> bytes:
    """Return the compressed document, which is identical for identical proofs."""
    encoding, space = problem.encoding, problem.space
    whole = below(problem, best.policy, problem.start())
    document = {
        "format": FORMAT,
        "version": VERSION,
        "table": {
            "sha256": digest_of(encoding.table, terms.sensitive),
            "records": encoding.records,
            **asdict(reading),
        },
        "attributes": [attribute_of(one) for one in encoding.hierarchies],
        "allowed": {"lowest": space.bottom, "highest": space.top},
        "requirements": terms.requirements,
        "suppression": suppression_of(terms, problem.limit),
        "loss": {
            "mean": "geometric" if proof.mean.geometric else "arithmetic",
            "weights": proof.mean.weights,
        },
        "policy": {
            "levels": best.policy,
            "suppressed": best.suppressed,
            "losses": losses_of(problem, whole),
        },
        "steps": proof.steps,
    }
    return packed(document)


def packed(document: Mapping[str, Any]) -> bytes:
    """Return a document as compressed JSON, which is identical for identical documents."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0)


def suppression_of(terms: ProofTerms, limit: int) -> dict[str, Any]:
    """Return the largest share and number of records to suppress."""
    return {"share": _decimal(terms.share), "records": limit}


def proof_requirement(model: PrivacyModel, table: FrequencyTable) -> dict[str, Any]:
    """Return a model's settings, with fractions as text, because proofs contain only whole numbers.

    For t-closeness, the requirement lists the values at each place in their order. People are
    counted as the different values of their ID column.
    """
    order = {"order": model.places(table)} if isinstance(model, TCloseness) else {}
    if isinstance(model, PersonAnonymity):
        return {"kind": model.kind, "column": model.person, "k": model.k}
    settings = {**model.settings(), **order}
    return {k: _decimal(v) if k in _FRACTIONS else v for k, v in settings.items()}


def _decimal(number: float) -> str:
    return format(Decimal(repr(float(number))).normalize(), "f")


def attribute_of(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return the values of an attribute, and the labels of each level of its hierarchy."""
    return {
        "name": hierarchy.attribute,
        "values": hierarchy.values,
        "levels": [
            {
                "labels": level.labels,
                "covers": level.leaves.tolist(),
                "label": level.codes.tolist(),
            }
            for level in hierarchy.levels
        ],
    }


def digest_of(table: FrequencyTable, sensitive: str | None = None) -> str:
    """Return the SHA-256 digest of the distinct combinations and their counts, sorted by value.

    The value of the `sensitive` column, or the person ID, comes last in a combination.
    """
    if isinstance(table, PersonTable):
        return _digest(sorted(_of_persons(table)))
    return _digest(_of_records(table, sensitive))


def _of_persons(table: PersonTable) -> Iterator[tuple[Any, ...]]:
    """Yield the combinations of each person, with the number of the person's records."""
    persons = table.persons
    starts = np.searchsorted(persons.owners, np.arange(persons.people.size + 1))
    rows = table.texts()
    for name, profile in zip(persons.names, persons.profiles.tolist(), strict=True):
        for row in range(starts[profile], starts[profile + 1]):
            yield (*rows[row], name, int(persons.times[row]))


def _of_records(table: FrequencyTable, sensitive: str | None) -> Iterator[tuple[Any, ...]]:
    """Yield the combinations, with the number of records."""
    rows = table.texts()
    if sensitive is None:
        yield from ((*row, count) for row, count in zip(rows, table.counts.tolist(), strict=True))
        return
    values = table.histogram(sensitive)
    entries = (values.row_of_entry, values.codes, values.counts)
    for row, code, count in zip(*(own.tolist() for own in entries), strict=True):
        yield (*rows[row], values.domain[code], count)


def _digest(combinations: Iterable[tuple[Any, ...]]) -> str:
    digest = hashlib.sha256()
    for one in combinations:
        line = json.dumps(one, ensure_ascii=False, separators=(",", ":"))
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
