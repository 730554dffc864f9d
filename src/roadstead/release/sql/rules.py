"""Write the rules of a policy as SQL expressions.

A rule maps the text of a value to a label. Up to three steps precede the label. The first step
computes the *shape* of the text, in which 0 replaces every digit. If the shape is suitable, the
second step computes the number or the date in the text. The third step computes the band that
contains the number or date. Each step adds columns, and text is never cast if the cast could fail.

Shapes replace regular expressions, which differ between engines. If no step accepts a value, the
label is null. The SQL of a rule covers no more values than the rule itself. Numbers must be in
plain notation, with at most 18 characters and at most 9 digits after the decimal point. Dates must
have a fixed width. The expressions are written in the dialect of DuckDB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import TypeAlias

from roadstead.errors import PolicyError, quoted
from roadstead.hierarchies.code_rules import Beginnings, CodeParts
from roadstead.hierarchies.number_text import EXACT, name_interval
from roadstead.hierarchies.range_bands import RangeBands
from roadstead.hierarchies.rules import (
    MISSING,
    Bands,
    Calendar,
    Cuts,
    Everything,
    Groups,
    Identity,
    Prefix,
    Rule,
)
from roadstead.release.sql.codes import code_sql
from roadstead.release.sql.exact_numbers import LONGEST_NUMBER, MOST_PLACES, NUMBER, decimal
from roadstead.release.sql.literals import column, text, texts, without_sql
from roadstead.release.sql.rule_sql import Fresh, RuleSql
from roadstead.release.sql.written_dates import ways
from roadstead.release.sql.written_numbers import written_label, written_steps

NumberSteps: TypeAlias = tuple[str, dict[str, str], dict[str, str]]
"""The column that contains a number, and the two steps that compute the number."""
MONDAY = "ROADSTEAD_MONDAY_OF"
"""A placeholder for the Monday on or before a day. Each dialect replaces the placeholder."""
BYTEWISE = "ROADSTEAD_BY_BYTES"
"""A placeholder for a string that is compared by its bytes in every locale."""


def rule_sql(name: str, rule: Rule, fresh: Fresh) -> RuleSql:
    """Convert a rule into SQL."""
    value, label = column(name), ""
    match rule:
        case Bands() | Cuts():
            return _intervals(name, rule, fresh)
        case Calendar():
            return _calendar(name, rule, fresh)
        case Everything():
            label = text(rule.text)
        case Identity():
            label = _identity(value, rule)
        case Groups():
            label = _groups(value, rule)
        case Beginnings() | CodeParts():
            return code_sql(name, rule, fresh)
        case Prefix():
            label = _prefix(value, rule)
        case RangeBands():
            raise without_ranges(name)
    return RuleSql(label)


def keeping(made: RuleSql, name: str, codes: Sequence[str]) -> RuleSql:
    """Return the SQL of a rule that keeps declared missing codes."""
    if not codes:
        return made
    value = column(name)
    kept = f"CASE WHEN {value} IN ({texts(codes)}) THEN {value} ELSE {made.label} END"
    return replace(made, label=kept)


def _identity(value: str, rule: Identity) -> str:
    if rule.values is None:
        return value
    known = texts(dict.fromkeys([MISSING, *rule.values]))
    return f"CASE WHEN {value} IN ({known}) THEN {value} END"


def without_ranges(name: str) -> PolicyError:
    """Return the error for ranges of numbers. Ranges have more forms than SQL can express."""
    return PolicyError(f"SQL cannot read the ranges of {quoted(name)}", fix=without_sql())


def _intervals(name: str, rule: Bands | Cuts, fresh: Fresh) -> RuleSql:
    number, shapes, numbers = number_steps(name, fresh)
    if rule.form == "plain":
        return _of_number(name, rule, fresh, (number, shapes, numbers))
    written = written_steps(name, rule, fresh, numbers[number], NUMBER)
    steps = (written.number, {**shapes, **written.shapes}, written.numbers)
    plain = _of_number(name, rule, fresh, steps)
    return replace(plain, label=written_label(written, rule, column(name), plain.label))


def _of_number(name: str, rule: Bands | Cuts, fresh: Fresh, steps: NumberSteps) -> RuleSql:
    return _bands(name, rule, fresh, steps) if isinstance(rule, Bands) else _cuts(name, rule, steps)


def without_forms(name: str) -> PolicyError:
    """Return the error for numbers with open ends or units. Such numbers have too many forms."""
    what = f"SQL cannot read the numbers of {quoted(name)} with open ends or units"
    return PolicyError(what, fix=without_sql())


def _groups(value: str, rule: Groups) -> str:
    members: dict[str, list[str]] = {}
    listed = {member: label for label, group in rule.groups for member in group}
    for member, label in {MISSING: MISSING, **listed}.items():
        members.setdefault(label, []).append(member)
    cases = (f"WHEN {value} IN ({texts(of)}) THEN {text(label)}" for label, of in members.items())
    return f"CASE {' '.join(cases)} END"


def _prefix(value: str, rule: Prefix) -> str:
    label = f"SUBSTRING({value}, 1, {rule.keep})"
    if rule.mask:
        long = f"CAST(LENGTH({value}) AS INT)" if rule.length is None else str(rule.length)
        label = f"RPAD({label}, {long}, {text(rule.mask)})"
    if rule.length is None:
        return f"CASE WHEN {value} = '' THEN '' ELSE {label} END"
    return f"CASE WHEN {value} = '' THEN '' WHEN LENGTH({value}) = {rule.length} THEN {label} END"


def _shape(value: str) -> str:
    return f"TRANSLATE(TRIM({value}), '123456789', '000000000')"


def number_steps(name: str, fresh: Fresh) -> NumberSteps:
    """Return the column that contains a plain decimal number, and the two steps that compute it."""
    shape, number = fresh(f"{name}_shape"), fresh(f"{name}_number")
    value, looks = column(name), column(shape)
    plain = (
        f"LENGTH({looks}) <= {LONGEST_NUMBER} AND {looks} LIKE '%0' "
        f"AND REPLACE({looks}, '0', '') IN ('', '-', '.', '-.') "
        f"AND NOT {looks} LIKE '0%-%' AND NOT {looks} LIKE '%.{'0' * (MOST_PLACES + 1)}%'"
    )
    read = f"CASE WHEN {plain} THEN CAST(TRIM({value}) AS {NUMBER}) END"
    return number, {shape: _shape(value)}, {number: read}


def _cuts(name: str, rule: Cuts, steps: NumberSteps) -> RuleSql:
    number, shapes, numbers = steps
    value, n = column(name), column(number)
    bounds: list[Decimal | None] = [None, *sorted(set(rule.cuts)), None]
    cases = [f"WHEN {value} = '' THEN ''", f"WHEN {n} IS NULL THEN NULL"]
    if rule.integer:
        cases.append(f"WHEN {n} <> FLOOR({n}) THEN NULL")
    for low, high in reversed(list(pairwise(bounds))):
        label = text(name_interval(low, high, integer=rule.integer))
        cases.append(f"ELSE {label}" if low is None else f"WHEN {n} >= {decimal(low)} THEN {label}")
    return RuleSql(f"CASE {' '.join(cases)} END", (shapes, numbers, {}))


def _bands(name: str, rule: Bands, fresh: Fresh, steps: NumberSteps) -> RuleSql:
    """Add the step that computes the lower end of a number's band. It determines the label."""
    number, shapes, numbers = steps
    value, n, start = column(name), column(number), fresh(f"{name}_from")
    ends = (rule.width, rule.origin, rule.bottom, rule.top)
    whole = rule.integer and all(end is None or end == end.to_integral_value() for end in ends)
    kind = "BIGINT" if whole else NUMBER
    cases = [f"WHEN {value} = '' THEN ''", f"WHEN {column(start)} IS NULL THEN NULL"]
    if rule.top is not None:
        label = text(name_interval(rule.top, None, integer=rule.integer))
        cases.append(f"WHEN {n} >= {decimal(rule.top)} THEN {label}")
    if rule.bottom is not None:
        label = text(name_interval(None, rule.bottom, integer=rule.integer))
        cases.append(f"WHEN {n} < {decimal(rule.bottom)} THEN {label}")
    cases.append(f"ELSE {_band_label(column(start), rule, kind)}")
    exact = n if kind == NUMBER else f"CAST({n} AS BIGINT)"
    begins = exact if whole and rule.width == 1 else _multiple_below(exact, rule)
    guard = f"{n} = FLOOR({n})" if rule.integer else f"{n} IS NOT NULL"
    found = f"CASE WHEN {guard} THEN CAST({begins} AS {kind}) END"
    return RuleSql(f"CASE {' '.join(cases)} END", (shapes, numbers, {start: found}))


def _multiple_below(n: str, rule: Bands) -> str:
    """Return the SQL for the largest bound that is not above a number.

    The SQL uses a remainder and not a quotient, because engines may round a quotient.
    """
    width, origin = decimal(rule.width), decimal(rule.origin)
    return f"{n} - MOD(MOD({n} - {origin}, {width}) + {width}, {width})"


def _band_label(start: str, rule: Bands, kind: str) -> str:
    low, high = start, f"{start} + {decimal(rule.width)}"
    clipped = False
    if rule.bottom is not None and not _is_bound(rule.bottom, rule):
        low, clipped = f"GREATEST({low}, {decimal(rule.bottom)})", True
    if rule.top is not None and not _is_bound(rule.top, rule):
        high, clipped = f"LEAST({high}, {decimal(rule.top)})", True
    if not rule.integer:
        return f"'[' || {_written(low, kind)} || ', ' || {_written(high, kind)} || ')'"
    one = _written(low, kind)
    if rule.width == 1 and not clipped:
        return one
    several = f"{one} || '-' || {_written(f'{high} - 1', kind)}"
    return f"CASE WHEN {low} = {high} - 1 THEN {one} ELSE {several} END" if clipped else several


def _is_bound(number: Decimal, rule: Bands) -> bool:
    return EXACT.remainder(EXACT.subtract(number, rule.origin), rule.width) == 0


def _written(number: str, kind: str) -> str:
    """Return SQL for a number without trailing zeros. Engines write trailing zeros differently."""
    plain = f"CAST({number} AS TEXT)"
    if kind == "BIGINT":
        return plain
    return f"CASE WHEN {plain} LIKE '%.%' THEN RTRIM(RTRIM({plain}, '0'), '.') ELSE {plain} END"


def _calendar(name: str, rule: Calendar, fresh: Fresh) -> RuleSql:
    """Return SQL for a rule that shortens the ISO form of a day to a calendar unit."""
    known, steps = day_steps(name, rule, fresh)
    value, day = column(name), column(known)
    label = f"WHEN {day} IS NOT NULL THEN {_unit(day, rule)}"
    if rule.before is not None:
        label = (
            f"WHEN SUBSTRING({day}, 1, 4) < '{rule.bottom:04d}' THEN {text(rule.before)} {label}"
        )
    label = f"CASE WHEN {value} = '' THEN '' {label} END"
    return RuleSql(label, steps)


def day_steps(
    name: str, rule: Calendar, fresh: Fresh
) -> tuple[str, tuple[dict[str, str], dict[str, str], dict[str, str]]]:
    """Return the column of a day in ISO form, and the steps that read and check the date."""
    shape, found, known = (fresh(f"{name}_{what}") for what in ("shape", "date", "day"))
    value = column(name)
    cases = " ".join(f"WHEN {one.fits} THEN {one.iso}" for one in ways(rule, column(shape), value))
    return known, (
        {shape: _shape(value)},
        {found: f"CASE {cases} END"},
        {known: f"CASE WHEN {_exists(column(found))} THEN {column(found)} END"},
    )


def _exists(day: str) -> str:
    """Return the SQL condition that a string of the shape 0000-00-00 is a valid day."""
    return (
        f"CAST(SUBSTRING({day}, 1, 4) AS INT) >= 1 "
        f"AND SUBSTRING({day}, 6, 2) BETWEEN '01' AND '12' "
        f"AND CAST(SUBSTRING({day}, 9, 2) AS INT) BETWEEN 1 AND {_days_in_month(day)}"
    )


def last_day(known: str, shape: str) -> str:
    """Return the SQL for the last day that a full or partial date allows, given the first day."""
    return (
        f"CASE WHEN {shape} = '0000' THEN SUBSTRING({known}, 1, 4) || '-12-31' "
        f"WHEN {shape} = '0000-00' THEN SUBSTRING({known}, 1, 8) || "
        f"CAST({_days_in_month(known)} AS TEXT) ELSE {known} END"
    )


def _days_in_month(day: str) -> str:
    year, month = f"CAST(SUBSTRING({day}, 1, 4) AS INT)", f"SUBSTRING({day}, 6, 2)"
    leap = f"MOD({year}, 4) = 0 AND (MOD({year}, 100) <> 0 OR MOD({year}, 400) = 0)"
    return (
        f"CASE WHEN {month} IN ('04', '06', '09', '11') THEN 30 "
        f"WHEN {month} <> '02' THEN 31 WHEN {leap} THEN 29 ELSE 28 END"
    )


def _unit(day: str, rule: Calendar) -> str:
    match rule.unit:
        case "week":
            return f"'week of ' || {MONDAY}({day})"
        case "quarter":
            cases = " ".join(
                f"WHEN SUBSTRING({day}, 6, 2) IN ({texts(f'{3 * q + m:02d}' for m in (1, 2, 3))}) "
                f"THEN '-Q{q + 1}'"
                for q in range(3)
            )
            return f"SUBSTRING({day}, 1, 4) || CASE {cases} ELSE '-Q4' END"
        case "decade":
            return f"SUBSTRING({day}, 1, 3) || '0s'"
        case "month" | "year":
            return f"SUBSTRING({day}, 1, {7 if rule.unit == 'month' else 4})"
        case "day":
            return day
