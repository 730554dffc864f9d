"""Create candidates from a form of the step Explore.

Each candidate has a title, a verb, and its fields.

A candidate stores every field that it changes. So a candidate stays the same if k or the recodings
in the project file change later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roadstead.errors import SettingError
from roadstead.printable import named
from roadstead.reports.wording import listed
from roadstead.rooms import has, part_of
from roadstead.web.sessions.choices import Choices
from roadstead.web.typed_numbers import number_in
from roadstead.web.words import LABELS

RECODINGS = {
    "global": "One level per column",
    "cells": "One level per column, single cells suppressed",
    "local": "Own levels per group",
    "intervals": "Own ranges per group",
}
"""The names of the recodings. In later recodings, groups can differ more."""
KINDS = {**RECODINGS, "k-map": "k-map (population table)"}
if has("private releases"):
    KINDS["private"] = "Differential privacy"
_TITLES = {**RECODINGS, "cells": "Single cells suppressed"}
_OWN_GROUPS = tuple(one for one in RECODINGS if one != "global")
"""The recodings that treat groups differently. Their searches seldom end by themselves."""
_LEAST_K, _MOST_K = 2, 1_000_000
LONGEST = 1e6  # in seconds
USUAL_LIMIT = 60
"""The default time limit of a search that could run for hours, in seconds."""
LIMITED = ", at most "
"""The words in a title that precede the time limit."""
_RANGE = re.compile(r"\s*-?[\d.]+\s*\.\.\s*-?[\d.]+\s*(/\s*[\d.]+\s*)?")
_K_MAP = "k-map"


@dataclass(frozen=True)
class TrialFields:
    """The fields of a form that describe a candidate."""

    title: str
    verb: str
    given: Mapping[str, Any]


def trials_of(form: Mapping[str, Any], sizes: Sequence[str], choices: Choices) -> list[TrialFields]:
    """Return the candidates that a form describes, one for each selected value of k in `sizes`."""
    kind = str(form.get("kind", ""))
    if kind not in KINDS:
        raise SettingError("this kind of release does not exist", fix="choose a kind from the list")
    if kind == "private":
        return [_private(form, choices)]
    own = str(form.get("k", "")).strip()
    numbers = list(dict.fromkeys(_group_size(one) for one in (*sizes, *([own] if own else []))))
    if not numbers:
        raise SettingError("k is missing", fix="select or enter at least one k")
    limit = seconds_in(str(form.get("time_limit", "")).strip())
    if limit is None and kind in _OWN_GROUPS:
        limit = USUAL_LIMIT
    shared: dict[str, Any] = {} if limit is None else {"time_limit": limit}
    if kind == _K_MAP:
        shared |= _population(form, choices)
    return [_anonymous(kind, k, shared, choices) for k in numbers]


def unusable(choices: Choices) -> dict[str, str]:
    """Return the kinds of releases that do not work with the settings for people, with reasons."""
    if choices.person is None:
        return {}
    linked = choices.get("persons.link") == "pseudonym"
    found = {_K_MAP: "This kind of release does not work with a person ID column."}
    if linked or choices.knows != 1 or choices.get("persons.leave_out") == "persons":
        why = (
            "This kind of release does not work if the rows of a person are linked, an "
            "attacker may know several rows, or people are left out with all their rows."
        )
        found |= dict.fromkeys(_OWN_GROUPS, why)
    return found


def _population(form: Mapping[str, Any], choices: Choices) -> dict[str, Any]:
    """Return the population table from the form, or else from the project file."""
    if choices.person is not None:
        raise SettingError(
            "k-map does not work with a person ID column",
            fix="choose another kind of release",
        )
    known = choices.get("population")
    named = str(form.get("population", "")).strip() or known
    if named is None:
        raise SettingError(
            "k-map needs a population table",
            fix="enter the population table in the field below k",
        )
    given = {} if named == known else {"population": named}
    counts = str(form.get("population_counts", "")).strip()
    if counts and counts != choices.get("population_counts"):
        given["population_counts"] = counts
    return given


def _anonymous(kind: str, k: int, shared: Mapping[str, Any], choices: Choices) -> TrialFields:
    limit = f"{LIMITED}{shared['time_limit']:g} s" if "time_limit" in shared else ""
    if kind == _K_MAP:
        models = [dict(one) for one in choices.get("privacy.models", ())]
        given = {"k": 1, "privacy": [*models, {"kind": _K_MAP, "k": k}], "recoding": "global"}
        return TrialFields(f"k-map, k = {k}{limit}", "anonymize", {**given, **shared})
    return TrialFields(
        f"{_TITLES[kind]}, k = {k}{limit}", "anonymize", {"k": k, "recoding": kind, **shared}
    )


def _private(form: Mapping[str, Any], choices: Choices) -> TrialFields:
    epsilon = str(form.get("epsilon", "")).strip()
    target = str(form.get("target", "")).strip()
    classes = _listed(str(form.get("classes", "")))
    if not epsilon:
        raise SettingError("the privacy budget is missing", fix="enter an epsilon, for example, 1")
    if not target:
        raise SettingError("the most important column is missing", fix="choose a column")
    given: dict[str, Any] = {"epsilon": epsilon, "target": target}
    if classes:
        given["classes"] = classes
    ranges, values = _domains(str(form.get("domains", "")))
    given |= {"ranges": ranges} if ranges else {}
    given |= {"values": values} if values else {}
    given["quasi"] = [name for name in choices.quasi if name != target]
    _require_declared(given, choices)
    return TrialFields(f"Differential privacy, epsilon = {epsilon}", "synthesize", given)


def _require_declared(given: Mapping[str, Any], choices: Choices) -> None:
    """Raise one error about all public values that a private release still needs."""
    missing = []
    if not given.get("classes") and not choices.get("synthesis.classes"):
        missing.append(f"in {LABELS['classes']}, the values that {named(given['target'])} can have")
    ranges, values = dict(given.get("ranges", {})), dict(given.get("values", {}))
    made = part_of("private releases", "verbs.synthesize.domains:Declarations")
    declared = made(ranges, values, hierarchies=choices.get("hierarchies", {}))
    known = choices.get("domains", {})
    names = [one for one in declared.without_domain(given["quasi"]) if one not in known]
    if names and not choices.get("hierarchy_folder"):  # its files may have the domains
        columns, first = listed([named(one) for one in names]), named(names[0])
        line = f"{first} = LOW..HIGH or {first} = A, B"
        missing.append(f"in {LABELS['ranges']}, one line each for {columns}, such as {line}")
    if missing:
        raise SettingError(
            "the release needs values that are publicly known",
            fix=f"enter {'; and '.join(missing)}",
        )


def _domains(text: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Parse one domain per line, such as ``age = 15..95`` or ``sex = F, M``."""
    ranges: dict[str, str] = {}
    values: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name, equals, says = (part.strip() for part in line.partition("="))
        if not equals or not name or not says:
            raise SettingError(
                "this line does not contain a domain",
                where=f"line {number} of the domains",
                fix="write COLUMN = LOW..HIGH, or COLUMN = A, B, C",
            )
        if _RANGE.fullmatch(says):
            ranges[name] = says.replace(" ", "")
        else:
            values[name] = _listed(says)
    return ranges, values


def _listed(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def _group_size(text: str) -> int:
    label, above = f"k, {text[:20]!r}", _LEAST_K - 1
    what, fix = "this is not a group size", "enter a whole number, 2 or more"
    return int(number_in(text, label, whole=True, above=above, most=_MOST_K, what=what, fix=fix))


def seconds_in(text: str) -> float | None:
    """Parse a time limit. An empty field means no limit."""
    if not text:
        return None
    what = "this is not a number of seconds"
    fix = "enter a number, for example, 60, or leave the field empty"
    return float(number_in(text, "Time limit", above=0, most=LONGEST, what=what, fix=fix))
