"""Write rules for the codes of a code system as SQL.

The first step adds two columns: the shape of the text, and the code in uppercase without
punctuation marks. The shape determines how the parts of the code are written.
"""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.code_systems.forms import CAPITALS, SHAPES, first_parts, marks_of, runs_of
from roadstead.hierarchies.code_rules import STAR, Beginnings, CodeParts
from roadstead.release.sql.literals import column, text, texts
from roadstead.release.sql.rule_sql import Fresh, RuleSql


def code_sql(name: str, rule: Beginnings | CodeParts, fresh: Fresh) -> RuleSql:
    """Convert a rule for codes into SQL."""
    value = column(name)
    if isinstance(rule, Beginnings) and not rule.forms:
        code = value if rule.whole else f"REPLACE({value}, '.', '')"
        return RuleSql(_case(value, _beginnings(code, rule), rule.other))
    shape, code = fresh(f"{name}_shape"), fresh(f"{name}_code")
    marks = marks_of(rule.forms)
    steps = {
        shape: f"TRANSLATE({value}, {text(SHAPES[0])}, {text(SHAPES[1])})",
        code: f"TRANSLATE({value}, {text(CAPITALS[0] + marks)}, {text(CAPITALS[1])})",
    }
    if isinstance(rule, CodeParts):
        cases = _parts(column(shape), column(code), rule)
    else:
        no_code = f"WHEN {column(shape)} NOT IN ({texts(rule.shapes)}) THEN {text(rule.other)}"
        cases = iter((no_code, *_beginnings(column(code), rule)))
    return RuleSql(_case(value, cases, rule.other), (steps, {}, {}))


def _case(value: str, cases: Iterator[str], other: str) -> str:
    return f"CASE WHEN {value} = '' THEN '' {' '.join(cases)} ELSE {text(other)} END"


def _beginnings(code: str, rule: Beginnings) -> Iterator[str]:
    """Yield the comparisons of a code with prefixes. The longest prefixes come first."""
    if rule.whole:
        for label, listed in rule.groups:
            yield f"WHEN {code} IN ({texts(listed)}) THEN {text(label)}"
        return
    for length in rule.lengths:
        for label, listed in rule.groups:
            if begins := [begin for begin in listed if len(begin) == length]:
                yield f"WHEN SUBSTRING({code}, 1, {length}) IN ({texts(begins)}) THEN {text(label)}"


def _parts(shape: str, code: str, rule: CodeParts) -> Iterator[str]:
    """Yield the first parts of a code, for each form in which codes are written."""
    ways: dict[tuple[str, int], list[str]] = {}
    for one, form in rule.shapes.items():
        way = first_parts(form, rule.keep), rule.of_first(form)
        ways.setdefault(way, []).append(one)
    for (begin, first), shapes in ways.items():
        condition = f"{shape} IN ({texts(shapes)})"
        if rule.first:
            condition += f" AND SUBSTRING({code}, 1, {first}) IN ({texts(rule.first)})"
        stars = STAR * (rule.width - len(begin))
        label = " || ".join([*_written(begin, code), *([text(stars)] if stars else [])])
        yield f"WHEN {condition} THEN {label}"


def _written(begin: str, code: str) -> Iterator[str]:
    """Yield the pieces of a prefix. Each piece is a punctuation mark or consecutive characters."""
    for mark, start, end in runs_of(begin):
        yield text(mark) if mark else f"SUBSTRING({code}, {start + 1}, {end - start})"
