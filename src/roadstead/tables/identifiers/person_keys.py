"""Find columns with person IDs in a table where people have several records.

A column is a person ID if its name is typical of person IDs and its values repeat. The result is
doubtful if few values repeat, or if sex or birth often differ between records with the same value.

A column of codes with a different name can also be a person ID. In this case, lifelong properties
must agree in nearly all records of each value, far more often than by chance. Such a person ID is
doubtful until the user confirms the column. In a table with several records per visit, a visit
number would also fulfill this condition. So a column that is named like a visit number is never a
person ID. The best candidate has no placeholder (a value that many people share), has a lifelong
property that is constant for each value, and has the fewest values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.contents import date_detector, is_date
from roadstead.tables.identifiers.findings import FLAGS
from roadstead.tables.identifiers.placeholder_ids import PlaceholderIds, placeholders_within
from roadstead.tables.identifiers.vocabulary import TextForm, is_called, table_of
from roadstead.tables.profile import ColumnProfile, profile
from roadstead.tables.source import Source
from roadstead.tables.texts import texts_of

_CODE: Final = TextForm(r"[A-Za-z]{0,8}[-_/]?\d[\dA-Za-z_-]*(\.0+)?|[0-9A-Fa-f-]{8,}")
_FRACTION: Final = TextForm(r"[+-]?\d*\.\d*[1-9]\d*(e[+-]?\d+)?")
_BARE: Final = TextForm(r"[^\W\d_]+")
_MOSTLY: Final = 0.95
_FEWEST: Final = 20
"""The minimum number of distinct values in a column of codes."""
_FEWEST_PEOPLE, _MOST_RECORDS, _MOST_OF_WORD = 5, 50, 10
"""A column with fewer values, each in many records, is no person ID. Words must be rarer."""
_TESTED: Final = 10
"""The minimum number of repeated values at which a constant property is evidence."""
_SAME: Final = 0.1
"""The maximum rate of differences within values, relative to the rate by chance."""
_DIFFERENT: Final = 0.5
_SELDOM: Final = 0.01
"""The share of repeated records below which repetitions may be mistakes."""
OTHERS: Final = (
    *("other_number", "measures", "vocabulary", "sensitive"),
    *("age", "zip", "place", "code"),
)
"""Kinds of column names that do not indicate person IDs."""
_MOST: Final = 4
"""The maximum number of columns of codes, and of lifelong properties, to examine."""
_SKETCH: Final = 0.8


Doubt: TypeAlias = Literal["", "called", "differs", "few", "single"]
"""The reason to doubt that a column is the person ID."""


@dataclass(frozen=True)
class PersonKey:
    """A column that looks like a person ID, with a reason that never contains a value.

    `keys` is the number of values, and `records` is the number of records with a value. `share` is
    the share of repeated values for which the lifelong properties are constant, or None if there is
    no evidence. `doubt` is ``called`` if the column does not have the name of a person ID,
    ``differs`` if lifelong properties differ within values, ``few`` if values repeat in only a few
    records, and ``single`` if each record has a different value. `estimated` is true if `keys` is
    an estimate. `placeholders` are values that many people share.
    """

    column: str
    why: str
    keys: int
    records: int
    share: float | None = None
    doubt: Doubt = ""
    estimated: bool = False
    placeholders: PlaceholderIds | None = None

    @property
    def constant(self) -> bool:
        """Return whether a lifelong property is constant for every value."""
        return self.share == 1.0

    @property
    def clear(self) -> bool:
        """Return whether the column can be proposed as the person ID without doubt."""
        return not self.doubt

    @property
    def found(self) -> bool:
        """Return whether all records with the same value probably belong to one person."""
        return self.doubt not in ("differs", "single")


def named_person_keys(source: Source) -> tuple[PersonKey, ...]:
    """Return the columns that are named like a person ID and whose values repeat."""
    named = [name for name in source.columns if is_called(name, "person")]
    return person_keys(source, profile(source, named), {}, {}) if named else ()


def person_keys(
    source: Source,
    columns: Sequence[ColumnProfile],
    samples: Mapping[str, Sequence[str]],
    numbered: Mapping[str, bool],
) -> tuple[PersonKey, ...]:
    """Return the columns that look like person IDs, beginning with the best.

    `samples` contains values of the columns. `numbered` states, for each column, whether the column
    could contain ID numbers. Columns that are not in `numbered` are not examined.
    """
    named = [one for one in columns if _is_named(one, samples.get(one.name, ()))]
    codes = [
        one
        for one in columns
        if one not in named and numbered.get(one.name) and _is_code(one, samples[one.name])
    ]
    if not named and not codes:
        return ()
    lasting = _lasting(columns, samples)
    with engine_errors(source.name):
        chances = {name: texts_of(source, [name]).alike() for name in lasting}
        found = []
        for one in (*named, *(codes[:_MOST] if lasting else [])):
            counts = texts_of(source, [one.name, *lasting]).within_first()
            key = _key(one.name, one.records, counts, chances, called=one in named)
            if key is not None:
                shared = placeholders_within(source, key.column, chances) if key.found else None
                found.append(replace(key, placeholders=shared))
    return tuple(sorted(found, key=_preference))


def _preference(key: PersonKey) -> tuple[bool, bool, bool, int]:
    return (not key.clear, key.placeholders is not None, not key.constant, key.keys)


def _key(
    column: str,
    records: int,
    counts: Mapping[str, int],
    chances: Mapping[str, float],
    *,
    called: bool,
) -> PersonKey | None:
    """Judge a column by the properties that are constant for each of its values."""
    if counts["keys"] <= 1:
        return None
    if not counts["several"]:
        single = counts["records"] == records and called and not is_called(column, "record")
        why = "named like a person ID, but with a different value in each record"
        return PersonKey(column, why, records, records, doubt="single") if single else None
    # For each property, the rate of differences within values and between any two records.
    parts = {
        name: (1.0 - counts[f"same_{at}"] / told, 1.0 - chance)
        for at, (name, chance) in enumerate(chances.items(), 1)
        if (told := counts[f"told_{at}"]) >= _TESTED
    }
    differ = {name: apart / by_chance for name, (apart, by_chance) in parts.items()}
    same = [name for name, share in differ.items() if share <= _SAME]
    doubt: Doubt = "" if called else "called"
    why = "named like a person ID, with repeated values" if called else "its values repeat"
    if same:
        apart = {
            name: many
            for at, name in enumerate(chances, 1)
            if name in same[:2] and (many := counts[f"told_{at}"] - counts[f"same_{at}"])
        }
        differ_in = [
            f"for {many:,} of these values, {name} differs between records"
            for name, many in apart.items()
        ]
        why += f"; {constant_words(same[:2], exactly=not apart)}"
        why += f", but {' and '.join(differ_in)}" if differ_in else ""
    if not called:
        if not same or counts["keys"] < _FEWEST:
            return None
    elif differ and min(differ.values()) > _DIFFERENT:
        doubt = "differs"
        why = f"{why}, although {next(iter(differ))} differs in records with the same value"
    elif counts["records"] - counts["keys"] < _SELDOM * counts["records"]:
        doubt, why = "few", "named like a person ID, with a few repeated values"
    share = 1.0 - min(parts[name][0] for name in same) if same else None
    return PersonKey(column, why, counts["keys"], counts["records"], share, doubt)


def constant_words(same: Sequence[str], *, exactly: bool) -> str:
    """Say that columns are the same for each value, or for nearly all values."""
    more = f" and {len(same) - 2} more" if same[2:] else ""
    values = "each value" if exactly else "nearly all values"
    return f"{' and '.join(same[:2])}{more} {'are' if same[1:] else 'is'} the same for {values}"


def _is_named(column: ColumnProfile, values: Sequence[str]) -> bool:
    """Return whether a column is named like a person ID, but is not a list, date, or measurement.

    The name ``patient`` may only mean that the person is a patient. So a column with such a name
    must contain codes. A column such as ``has_ssn`` has flags or a few words. So if values are not
    codes, there must be many different values, or each value must be rare.
    """
    if column.is_list or column.distinct <= 1 or not is_called(column.name, "person"):
        return False
    if values and all(value.casefold() in FLAGS for value in values):
        return False
    if column.distinct < _FEWEST_PEOPLE and column.present > _MOST_RECORDS * column.distinct:
        return False  # no release of so few people is possible
    if not values or _share_of_codes(values) >= _MOSTLY:
        return True
    other = sum(_FRACTION(value) or is_date(value) for value in values)
    few = column.distinct < _FEWEST * _SKETCH and column.present > _MOST_OF_WORD * column.distinct
    return not few and not _BARE(column.name) and other < _MOSTLY / 2 * len(values)


def _is_code(column: ColumnProfile, values: Sequence[str]) -> bool:
    """Return whether a column could contain IDs of people with several records."""
    repeats = column.distinct * _SKETCH < column.present and column.distinct >= _FEWEST * _SKETCH
    other = is_called(column.name, *OTHERS)
    return repeats and not column.is_list and not other and _share_of_codes(values) >= _MOSTLY


def _share_of_codes(values: Sequence[str]) -> float:
    """Return the share of values that are numbers or codes, excluding dates."""
    is_day = date_detector(values)
    codes = sum(bool(_CODE(value)) and not is_day(value) for value in values)
    return codes / max(len(values), 1)


def _lasting(columns: Sequence[ColumnProfile], samples: Mapping[str, Sequence[str]]) -> list[str]:
    known = table_of("columns.toml")["values"]
    kinds = (frozenset(known["sexes"]), frozenset(known["races"]))
    return [
        one.name
        for one in columns
        if not one.is_list
        and one.distinct > 1
        and (
            is_called(one.name, "lasting")
            or any(
                len(values) > 1 and all(value.casefold() in kind for value in values)
                for kind in kinds
                if (values := samples.get(one.name, ()))
            )
        )
    ][:_MOST]
