"""Describe each figure about risk in one sentence or a few sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roadstead.release.certificate import RiskIfUndone
from roadstead.reports.numbers import percent
from roadstead.reports.promise import undone_sentence
from roadstead.reports.wording import counted, format_count, odds, one_in
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS


def _maximum(value: float, unit: str) -> list[str]:
    whose = "in the assumed number of rows of a person" if unit == "person" else "of a person"
    return [
        f"If an attacker knows the quasi-identifiers {whose}, and knows that the person is in "
        f"the table, the attacker picks the right {unit} with a probability of at most "
        f"{odds(value, bound='upper')}."
    ]


def _average(value: float, unit: str) -> list[str]:
    return [
        f"The average probability of picking the right {unit} is {odds(value)}. This is an "
        f"average over the {'people' if unit == 'person' else unit + 's'} that are "
        "released with quasi-identifiers."
    ]


def _smallest(value: Mapping[str, Any], unit: str) -> list[str]:
    if unit == "person":
        rows = ROWS_IN_WORDS[value["knows"]]
        return [
            (
                f"If an attacker knows the quasi-identifiers in {rows} of a person, these "
                f"values match at least {format_count(value['smallest'])} people. An "
                "attacker who knows more, such as the values of other columns, may find "
                "fewer matching people."
            )
        ]
    masked = value["masked"]
    star = f" {counted(masked, 'record')} with * form one more group." if masked else ""
    return [
        f"There are {counted(value['classes'], 'group')} of records with identical "
        f"quasi-identifiers; the smallest has {counted(value['smallest'], 'record')}.{star}"
    ]


def _before(value: Mapping[str, float], _: str) -> list[str]:
    maximum, average = odds(value["maximum"], bound="upper"), odds(value["average"])
    return [
        (
            f"Before de-identification, the maximum risk was {maximum} and the average risk was "
            f"{average}."
        )
    ]


def _added(value: Mapping[str, Any], _: str) -> list[str]:
    if not value["columns"]:
        return ["No other column is released."]
    unique, records = value["unique"], value["records"]
    like = "unique" if value["groups_of"] == "records" else "unique to one person"
    share = percent(unique / records) if records else "0%"
    others, together = "other released column", "this column"
    if value["columns"] > 1:
        others = f"{format_count(value['columns'])} {others}s"
        together = "all of these columns"
    people = value["people"]
    row = "" if people is None else " of one row"
    return [
        f"An attacker who also knows the {others}{row} of a person may identify more people. "
        f"With {together}, {format_count(unique)} of {counted(records, 'record')} "
        f"({share}) are {like}; with the quasi-identifiers alone, "
        f"{format_count(value['quasi_unique'])}. {_several_rows(people)}The risks above do not "
        "include this."
    ]


def _several_rows(people: Mapping[str, Any] | None) -> str:
    """Report how many people are unique if an attacker knows several rows."""
    if people is None:
        return ""
    rows, unique = ROWS_IN_WORDS[people["knows"]], people["unique"]
    if unique is None:
        return f"The number for an attacker who knows {rows} of a person was not counted. "
    return (
        f"If an attacker knows all columns of {rows} of a person, {format_count(unique)} "
        f"of {counted(people['persons'], 'person', 'people')} are unique. "
    )


def _expected(value: Mapping[str, Any], _: str) -> list[str]:
    return [
        f"For {format_count(value['records'])} of {counted(value['released'], 'released record')}, "
        "the population has fewer than "
        f"{counted(value['k'], 'matching person', 'matching people')} (counted or estimated)."
    ]


def _population(value: Mapping[str, int], _: str) -> list[str]:
    return [
        f"{counted(value['people'], 'person', 'people')} of a population match the "
        f"{counted(value['classes'], 'group')} of the release. The smallest number of "
        f"people who match a group is {format_count(value['least'])}."
    ]


_NAMED = ", which the guidance of the regulator names"
"""Where a threshold comes from if people did not set it."""


def _against(what: str, source: str = "") -> Callable[[Mapping[str, Any], str], list[str]]:
    def words(value: Mapping[str, Any], _: str) -> list[str]:
        risk, threshold = value["risk"], value["threshold"]
        side = "within" if value["under"] else "ABOVE"
        also = f" ({one_in(risk)})" if one_in(risk) else ""
        most = "at most " if value["bound"] else ""
        promised = ", according to the privacy requirements" if value["bound"] else ""
        lines = [
            f"{what} is {most}{risk:.4g}{also}{promised}. It is {side} the threshold of "
            f"{decimal_of(threshold)}{source}."
        ]
        if value["bound"] and not value["under"]:
            lines.append("The risk itself was not measured and may be lower.")
        if value["rounds"]:
            lines.append(
                "Rounded to two digits, the risk equals the threshold. Many readers "
                "understand 0.09 as groups of eleven. The person who set the threshold "
                "must say whether this meaning is intended."
            )
        return lines

    return words


def decimal_of(number: float) -> str:
    """Return a threshold as a decimal fraction, such as 0.09."""
    return f"{number:g}"


def _overall(value: Mapping[str, Any], _: str) -> list[str]:
    product = value["overall"]
    lines = [
        f"People gave {decimal_of(value['probability'])} as the probability of an attack. "
        f"Multiplied by the {value['measure']} risk of {value['risk']:.4g}, this gives "
        f"{product:.4g}."
    ]
    if value["under"] is not None:
        side = "within" if value["under"] else "ABOVE"
        lines.append(f"The result is {side} the threshold of {decimal_of(value['threshold'])}.")
    if value["not_certain"]:
        lines.append(
            "People state that the release is public. In this case, an attack is certain, "
            "so the probability that they gave is too low."
        )
    return lines


RISK_WORDS: Mapping[str, Callable[[Any, str], list[str]]] = {
    "added": _added,
    "expected": _expected,
    "overall": _overall,
    "own-threshold": _against("By the measure that people chose, the risk"),
    "population": _population,
    "risk-average": _average,
    "risk-before": _before,
    "risk-maximum": _maximum,
    "risk-undone": lambda value, _: [undone_sentence(RiskIfUndone(**value))],
    "smallest": _smallest,
    "threshold-average": _against("The average risk", _NAMED),
    "threshold-maximum": _against("The maximum risk", _NAMED),
}
"""The functions that describe each figure. The second argument is the counted unit."""
