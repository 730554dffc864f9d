"""Compare how often pairs of values of two columns occur in the table and in candidates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from roadstead.analysis.distances import distances, spread
from roadstead.analysis.retained_information import grouped
from roadstead.errors import SettingError
from roadstead.jobs import Observer
from roadstead.printable import printable
from roadstead.tables.codebooks.shown import labels_of_codes, with_label
from roadstead.verbs.evaluate.comparison import NextToOriginal, next_to_original
from roadstead.web.work.questions.source import source_of
from roadstead.web.work.trials.persons import FEWEST

_MOST_KEPT = 6
_kept: dict[tuple[str, str, tuple[str, ...]], NextToOriginal] = {}
"""The releases that were read last, and which of their columns were read."""


def pairs(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Return the share of each pair of value groups, and the distance from the table."""
    columns = list(given["columns"])
    if len(set(columns)) != 2:  # noqa: PLR2004 - a pair
        raise SettingError("both columns are the same", fix="choose two columns")
    answer: dict[str, Any] = {"columns": [printable(name) for name in columns], "releases": []}
    known = labels_of_codes(source_of(given["project"]))
    for place in given["folders"]:
        both = _read(given["project"], place, columns)
        original, found = both.original.only(columns), both.found[0]
        release = found.learned.table.only(columns)
        groups = [
            grouped(
                column,
                spread(original, [column.name], [np.arange(len(column.values))]),
                both.holders(column.name) >= FEWEST if column.name in given["covered"] else None,
            )
            for column in original.columns
        ]
        own = [one.group for one in groups]
        before = spread(original, columns, own)
        after = spread(release, columns, own, found.left_out)
        answer["labels"] = [
            [with_label(printable(text), known.get(name, {})) for text in one.labels]
            for name, one in zip(columns, groups, strict=True)
        ]
        answer["before"] = (before / max(float(before.sum()), 1.0)).tolist()
        far = distances(original, release, found.left_out)
        answer["releases"].append(
            {
                "after": (after / max(float(after.sum()), 1.0)).tolist(),
                "distance": next(iter(far.pairs.values())),
            }
        )
    return answer


def _read(project: str, place: str, columns: list[str]) -> NextToOriginal:
    key = (project, place, tuple(columns))
    if key not in _kept:
        while len(_kept) >= _MOST_KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[key] = next_to_original([Path(place)], source_of(project), columns)
    return _kept[key]
