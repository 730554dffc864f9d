"""Build the small tables that an engine joins to the records to apply a policy.

For each quasi-identifier, a table lists the label of each value, and the amount that the label adds
to the number of the equivalence class. An additional table lists the numbers of the released
classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.recodings.interval_columns import cells_of
from roadstead.release.ends import names_of_ends
from roadstead.release.generalized import UNSEEN, Generalized
from roadstead.tables.arrow_arrays import integers, texts
from roadstead.tables.text import MISSING

if TYPE_CHECKING:
    import pyarrow as pa


_LARGEST_KEY = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Numbering:
    """A rule that combines the labels of a record into the number of the record's class.

    The numbers have a mixed radix, like hours, minutes, and seconds. Each integer combines as many
    attributes as possible, because a join by one integer is much faster than a join by several
    columns.
    """

    attributes: tuple[tuple[int, ...], ...]  # for each integer, the attributes that it combines
    weights: tuple[int, ...]  # for each attribute, the factor of its codes

    @staticmethod
    def of(sizes: Sequence[int]) -> Numbering:
        """Return the numbering for attributes that have the given numbers of labels."""
        attributes: list[list[int]] = []
        weights, room = [], 0
        for at, size in enumerate(sizes):
            if room < size:
                attributes.append([])
                room, weight = _LARGEST_KEY, 1
            attributes[-1].append(at)
            weights.append(weight)
            weight *= size
            room //= size
        return Numbering(tuple(map(tuple, attributes)), tuple(weights))


def numbering_of(generalized: Generalized) -> Numbering:
    """Return the numbering of labels, or of values if each class has its own recoding."""
    own = generalized.merged if generalized.row_of is None else generalized.table
    return Numbering.of([len(domain) for domain in own.domains])


def mapping_of(generalized: Generalized, numbering: Numbering, attribute: int) -> pa.Table:
    """Map each value that the policy covers to its label."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    domain, labels = generalized.table.domains[attribute], generalized.labels[attribute]
    weight = numbering.weights[attribute]
    if generalized.row_of is not None:
        return pa.Table.from_arrays(
            [texts(domain), integers(np.arange(len(domain), dtype=np.int64) * weight)],
            [f"text_{attribute}", f"part_{attribute}"],
        )
    place = {label: code for code, label in enumerate(generalized.merged.domains[attribute])}
    pairs = [pair for pair in zip(domain, labels, strict=True) if pair[1] != UNSEEN]
    parts = [place[label] * weight for _, label in pairs]
    columns = {
        f"text_{attribute}": texts([value for value, _ in pairs]),
        f"label_{attribute}": texts([_cell(label) for _, label in pairs]),
        f"part_{attribute}": integers(np.array(parts, dtype=np.int64)),
    }
    return pa.Table.from_arrays(list(columns.values()), list(columns))


def released_classes(generalized: Generalized, numbering: Numbering) -> pa.Table:
    """Return the released classes by number, in the order of their labels.

    If each class has its own recoding, the function returns the combinations of values instead.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    rows = np.flatnonzero(generalized.kept)
    place = np.arange(rows.size, dtype=np.int32)
    codes = generalized.merged.codes
    if generalized.row_of is not None:
        codes = generalized.table.codes
        inside = generalized.kept[generalized.row_of]
        # If people are counted, several rows can have the same values.
        rows = np.flatnonzero(inside)[
            np.unique(np.stack(codes)[:, inside], axis=1, return_index=True)[1]
        ]
        place = (np.cumsum(generalized.kept) - 1)[generalized.row_of[rows]].astype(np.int32)
    columns: dict[str, NDArray[Any]] = {}
    for key, attributes in enumerate(numbering.attributes):
        total = np.zeros(rows.size, dtype=np.int64)
        for at in attributes:
            total += codes[at][rows] * np.int64(numbering.weights[at])
        columns[f"kept_key_{key}"] = total
    columns["place"] = place
    return pa.Table.from_arrays(list(map(integers, columns.values())), list(columns))


def labels_of_places(policy: Policy, generalized: Generalized) -> pa.Table:
    """Return the labels of each released class, or the cells for two columns."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kept = np.flatnonzero(generalized.kept)
    merged = generalized.merged
    columns: dict[str, Any] = {"shown_place": integers(np.arange(kept.size, dtype=np.int32))}
    for at, (domain, codes) in enumerate(zip(merged.domains, merged.codes, strict=True)):
        labels = [domain[code] for code in codes[kept].tolist()]
        if policy.quasi[at] not in policy.two_columns:
            columns[f"label_{at}"] = texts([_cell(label) for label in labels])
            continue
        for end, name in enumerate(names_of_ends(at)):
            columns[name] = texts([cells_of(label)[end] for label in labels])
    return pa.Table.from_arrays(list(columns.values()), list(columns))


def labels_of(generalized: Generalized, attribute: int) -> tuple[NDArray[np.int32], pa.StringArray]:
    """Return the index of each class's label, and the list of labels, which ends with ``*``."""
    names = generalized.merged.domains[attribute]
    codes = generalized.merged.codes[attribute][generalized.kept]
    return (
        np.append(codes, len(names)).astype(np.int32),
        texts([*map(_cell, names), SUPPRESSED]),
    )


def _cell(label: str) -> str | None:
    return None if label == MISSING else label
