"""Find all dependencies of the columns that would be released.

Some columns reveal quasi-identifiers, which a release generalizes. Other columns reveal direct
identifiers, which are not released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from roadstead.tables.dependencies.codes import codes_of_persons
from roadstead.tables.dependencies.containing import containing
from roadstead.tables.dependencies.date_parts import ages_in_days, date_parts
from roadstead.tables.dependencies.determining import determining
from roadstead.tables.dependencies.months import following_months
from roadstead.tables.dependencies.numbers import following
from roadstead.tables.dependencies.persons import likely_person_ids
from roadstead.tables.dependencies.references import references
from roadstead.tables.dependencies.rows import DrawnRows, drawn_rows
from roadstead.tables.profile import ColumnProfile, profile

if TYPE_CHECKING:
    from roadstead.tables.identifiers.objections import Objection
    from roadstead.tables.identifiers.person_keys import PersonKey
    from roadstead.tables.source import Source

_FEWEST_IDS: Final = 20
"""The minimum number of values in a column that identifies people."""


@dataclass(frozen=True)
class Dependencies:
    """The results: objections to columns, and likely person IDs, beginning with the best."""

    objections: tuple[Objection, ...] = ()
    persons: tuple[PersonKey, ...] = ()

    def by_column(self) -> dict[str, tuple[Objection, ...]]:
        """Return the objections to each column."""
        names = dict.fromkeys(one.column for one in self.objections)
        return {name: tuple(o for o in self.objections if o.column == name) for name in names}


def dependencies(
    source: Source,
    profiles: Sequence[ColumnProfile],
    quasi: Sequence[str],
    hidden: Sequence[str] = (),
    persons: Sequence[str] = (),
    *,
    named: bool = False,
    withheld: frozenset[str] = frozenset(),
    forced: Sequence[str] = (),
) -> Dependencies:
    """Find the dependencies of the columns in `profiles`.

    `hidden` lists columns that identify people and are not released. If the user specified the
    person ID (`named`), `persons` contains only this column. Otherwise, `persons` lists the columns
    that are named like a person ID, and the function also searches for other person IDs. Columns in
    `withheld` are never released, so the function only checks whether they are person IDs. Columns
    in `forced` are released although they identify people, so they are examined, too.
    """
    looked = [one for one in profiles if not one.is_list]
    records = profiles[0].records if profiles else 0
    if not records or not looked:
        return Dependencies()
    rows = drawn_rows(source, [one.name for one in looked], records)
    quasi = [name for name in quasi if name in rows.columns]
    likely = [] if named else likely_person_ids(source, rows, looked, quasi)
    whose = [*persons, *(one.column for one in likely)]
    whose = [name for name in dict.fromkeys(whose) if name in rows.columns and name not in quasi]
    ids = [*whose, *(name for name in hidden if name in rows.columns and name not in quasi)]
    ids = list(dict.fromkeys(ids))
    candidates = [name for name in rows.columns if name not in {*quasi, *ids, *withheld}]
    examined = [*candidates, *(one for one in forced if one in ids and one in rows.columns)]
    found = [
        *(
            one
            for name in dict.fromkeys(whose)
            if name in ids
            for one in references(source, rows, candidates, name)
        ),
        *_of_persons(source, rows, candidates, ids),
        *(one for target in quasi for one in _undoing(source, rows, examined, target)),
        *date_parts(rows, candidates, quasi),
        *ages_in_days(rows, candidates),
        *codes_of_persons(source, rows, looked, candidates),
    ]
    return Dependencies(tuple(found), tuple(likely))


def likely_persons(source: Source, quasi: Sequence[str]) -> tuple[PersonKey, ...]:
    """Find columns that are likely to be person IDs. Their names do not matter."""
    looked = [one for one in profile(source) if not one.is_list]
    if not looked or not looked[0].records:
        return ()
    rows = drawn_rows(source, [one.name for one in looked], looked[0].records)
    return tuple(likely_person_ids(source, rows, looked, quasi))


def _undoing(
    source: Source, rows: DrawnRows, candidates: Sequence[str], target: str
) -> list[Objection]:
    """Find the columns that undo the generalization of a quasi-identifier."""
    return [
        *containing(rows, candidates, target),
        *determining(source, rows, candidates, target, "undoes"),
        *following(rows, candidates, target),
        *following_months(rows, candidates, target),
    ]


def _of_persons(
    source: Source, rows: DrawnRows, candidates: Sequence[str], ids: Sequence[str]
) -> list[Objection]:
    """Find the columns that reveal the person of a record."""
    found: list[Objection] = []
    for target in ids:
        if rows[target].distinct < _FEWEST_IDS:
            continue
        found += containing(rows, candidates, target)
        found += [
            replace(one, kind="person")
            for one in determining(source, rows, candidates, target, "person")
            if len(one.others) == 1
        ]
    return found
