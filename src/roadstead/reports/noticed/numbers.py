"""Find ages over 89, and values in numeric columns that are not plain numbers."""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.front_end import worded
from roadstead.hierarchies.declare import KINDS
from roadstead.hierarchies.number_text import plain_number
from roadstead.hierarchies.rules import Bands, Cuts
from roadstead.hierarchies.written_numbers import (
    APART,
    FIRST_OLD_AGE,
    are_whole,
    form_of,
    has_unit,
    old_ages,
    read_span,
)
from roadstead.printable import named
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.tables.identifiers.vocabulary import is_called


def written_numbers(column: ColumnValues) -> Iterator[str]:
    """Describe how Roadstead reads the values of a numeric column that are not plain numbers."""
    texts = list(column.records)
    rule = _bands_of(column)
    form = form_of(texts) if rule is None else rule.form
    if form is None or form == "plain" or column.code_rule is not None:
        return
    whole = are_whole(texts) if rule is None else rule.integer
    spans = {text: read_span(text, form, whole=whole) for text in texts}
    if units := [text for text in texts if form == "ages" and has_unit(text)]:
        how = "" if rule is None else "; Roadstead reads ages in completed years"
        yield f"{column.counted(units)} have units, such as years or months{how}."
    if ends := [text for text, span in spans.items() if span is not None and span.is_open]:
        how = "" if rule is None else _where(rule, ends)
        yield f"{column.counted(ends)} have an open end: {column.shown(ends)}{how}."
    if odd := [text for text, span in spans.items() if span is None]:
        how = "" if rule is None else f". In bands, they become {APART!r}"
        yield f"{column.counted(odd)} are not numbers: {column.shown(odd)}{how}."


def ages_over_89(column: ColumnValues) -> Iterator[str]:
    """Report that every level of a hierarchy has one band for ages over 89."""
    rule = None if column.hierarchy is None else column.hierarchy.levels[0].rule
    if not isinstance(rule, Bands) or rule.top is None or not is_called(column.name, "age"):
        return
    if rule.top <= FIRST_OLD_AGE and (old := old_ages([*column.records], rule.form)):
        band, name = f"{plain_number(rule.top)}+", named(column.name)
        yield (
            f"{column.records_with(old)} have a value over 89 in {name}. At every level, these "
            f"values are in the band {band}, as Safe Harbor requires. To change the band, "
            f"{change_of_levels('intervals', 'top', name)}."
        )


def change_of_levels(kind: str, key: str, name: str) -> str:
    """Say which setting of a column's levels to change. A page has a label for the setting."""
    label = KINDS[kind].model_fields[key].title
    written = f"change `{key}` in the hierarchy of {name}"
    return worded(command=written, python=written, page=f"change “{label}” in the levels of {name}")


def _bands_of(column: ColumnValues) -> Bands | Cuts | None:
    """Return the most detailed rule of the hierarchy that puts values into bands, or None."""
    if column.hierarchy is None:
        return None
    rules = (level.rule for level in column.hierarchy.levels)
    return next((rule for rule in rules if isinstance(rule, Bands | Cuts)), None)


def _where(rule: Bands | Cuts, ends: list[str]) -> str:
    labels = {str(rule.label(text)) for text in ends}
    held = sorted(labels - {APART})
    said = f". They are in {' and '.join(held)}" if held else ""
    if APART not in labels:
        return said
    return f"{said or '.'}{' and' if said else ' They are in'} {APART!r}, which is not a band"
