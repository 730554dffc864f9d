"""Show some rows of a prepared release, as the recipient will read them.

A private release is displayed in full, because its records are synthetic. In any other table, a
column is covered if it is withheld or undecided, or if it looks like a Safe Harbor identifier.
Covered values never leave this process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from roadstead.jobs import Observer
from roadstead.printable import printable
from roadstead.release.ends import with_joined_ends, with_plain_ends
from roadstead.release.kind import release_of
from roadstead.release.shown import ShownRelease
from roadstead.release.values_left import in_words, without_values
from roadstead.tables.frequency import summarize
from roadstead.tables.source import Source
from roadstead.web.work.questions.source import source_of

MOST = 200
_LONGEST = 80


def released(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Return rows of a release, starting at an index, or the last rows."""
    release = _shown(given)
    with release.read() as source:
        many = min(int(given["many"]), MOST)
        records = int(source.table.count().to_pyarrow().as_py())
        first = min(max(int(given["first"]), 0), max(records - 1, 0) // many * many)
        plain = _plain(release, source, given["shown"])
        found = shown_rows(source, plain, first, many, sample=bool(given.get("sample")))
        return {**found, "records": records}


def words(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Describe what the policy does to each quasi-identifier. A private release has no policy."""
    release = _shown(given)
    policy = release.policy
    if policy is None:
        return {}
    gone = removed(release)
    return {name: in_words(does, left=name not in gone) for name, does in policy.words.items()}


def removed(release: ShownRelease) -> tuple[str, ...]:
    """Return the quasi-identifiers that have no values in a release with a policy."""
    policy = release.policy
    if policy is None:
        return ()
    with release.read() as source:
        table = summarize(with_joined_ends(source, policy), policy.quasi, may_be_empty=True)
        return without_values(with_plain_ends(table, policy))


def _plain(release: ShownRelease, source: Source, decided: Sequence[str]) -> set[str]:
    """Return the visible columns, which are synthetic, generalized, or visible on other pages."""
    policy = release.policy
    if policy is None:
        return set(source.columns)
    ends = (name for both in policy.two_columns.values() for name in both)
    return {*decided, *policy.quasi, *ends}


def _shown(given: Mapping[str, Any]) -> ShownRelease:
    return release_of(Path(given["folder"]), None).shown((), "shown")


def rows(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Return rows of the table, starting at an index. The values of covered columns are omitted."""
    first, many = max(int(given["first"]), 0), min(int(given["many"]), MOST)
    source, plain = source_of(given["project"]), set(given["shown"])
    found = shown_rows(source, plain, first, many, sample=bool(given.get("sample")))
    for place, name in enumerate(source.columns):
        cells = [row[place] for row in found["rows"]]
        if source.codebook is not None and name in plain:
            faces = source.codebook.faces(name, cells) or {}
            for row in found["rows"]:
                row[place] = faces.get(row[place], row[place])
    return found


def shown_rows(
    source: Source, plain: set[str], first: int, many: int, *, sample: bool = False
) -> dict[str, Any]:
    """Return rows of a table, or a random sample. Omit the cells of covered columns."""
    shown = [name for name in source.columns if name in plain]
    found: list[dict[str, Any]] = []
    if shown:
        table = source.table.select(shown)
        import ibis  # noqa: PLC0415 - heavy

        mixed = table.order_by(ibis.random()).limit(many)
        found = (mixed if sample else table.limit(many, offset=first)).to_pyarrow().to_pylist()
    return {
        "columns": [{"name": name, "covered": name not in shown} for name in source.columns],
        "rows": [
            [_cell(one[name]) if name in shown else None for name in source.columns]
            for one in found
        ],
        "first": first,
        "sample": sample,
    }


def _cell(value: object) -> str:
    text = "" if value is None else printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
