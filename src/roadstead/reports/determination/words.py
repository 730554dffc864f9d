"""What each figure of a determination says, in a sentence; and what it says that one is not there.

No sentence here concludes anything: whether a risk is acceptable is for people to say. A risk is
compared with a threshold, and it is said plainly on which side of it the risk is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roadstead.determination.figures import attacks_of
from roadstead.quality.words import words_of
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.facts import CertifiedFigure
from roadstead.reports.attacks.facts import AttackFacts, sentence
from roadstead.reports.attacks.words import attack_words
from roadstead.reports.numbers import percent
from roadstead.reports.rounded import ROUNDED, about
from roadstead.reports.wording import (
    counted,
    first_few,
    format_count,
    listed,
    moment,
    odds,
    one_in,
)
from roadstead.tables.identifiers.findings import identifiers
from roadstead.tables.identifiers.objections import HELD, ObjectionKind

LABELS = {
    "added": "Other released columns",
    "attacks": "Attacks",
    "dates": "Dates",
    "epsilon": "Privacy budget",
    "expected": "People behind the records",
    "files": "Files",
    "k-of-tables": "Persons who fit",
    "link": "Rows of one person",
    "look-alikes": "Identifiers by their looks",
    "loss": "Loss",
    "models": "Privacy models",
    "overall": "Risk over all",
    "own-threshold": "Threshold that people set",
    "persons": "Persons",
    "population": "Population",
    "promise": "Promise",
    "records": "Records",
    "removed": "Columns left out",
    "request": "Request",
    "risk-average": "Average risk",
    "risk-before": "Risk before",
    "risk-maximum": "Maximum risk",
    "search": "Search",
    "signed": "Signature",
    "smallest": "Smallest group",
    "suppression": "Suppression",
    "threshold-average": "Average risk and threshold",
    "threshold-maximum": "Maximum risk and threshold",
    "treatment": "Treatment",
    "variables": "Variables",
    "verified": "Verification",
}
ROLES = {
    "quasi-identifier": "quasi-identifier",
    "pseudonym": "pseudonym of the person",
    "key": "key",
    "date": "date",
    "code": "what is known of the person",
    "sensitive": "sensitive",
    "unchanged": "unchanged",
    "forced": "looks like an identifier, released by name",
    "public": "public domain",
    "released": "released",
}
_MANY = 40
"""Columns that are named in a sentence; of more, the first few."""


def said(figure: CertifiedFigure, unit: str) -> tuple[str, ...]:
    """Say what a figure says, in one sentence or a few; `unit` is what is counted."""
    return tuple(_WORDS[figure.id](figure.value, unit))


def not_there(figure: str, kind: str) -> str:
    """Say that a figure is not there, and why."""
    if figure == "attacks":
        return "The certificate has no attack on this release."
    if figure == "overall":
        return (
            "Not computed: it is the risk of the data times the probability of an attack, which is "
            "not assessed."
        )
    if kind == "private":
        return (
            f"{LABELS[figure]}: not measured. The release has noisy counts, and its guarantee is "
            "of another kind."
        )
    return f"{LABELS[figure]}: not in the certificate."


def _verified(value: Mapping[str, Any], _: str) -> list[str]:
    lines = [f"Checked anew for this document: all {counted(value['checks'], 'check')} hold."]
    if value["rests_on"]:
        lines.append(f"The rest of the promise rests on {value['rests_on']}.")
    if value["unchecked"]:
        lines.append(f"What nobody can check from the files: {'; '.join(value['unchecked'])}.")
    return lines


def _files(value: list[list[Any]], _: str) -> list[str]:
    names = first_few([name for name, _, _ in value], _MANY)
    return [f"{counted(len(value), 'file')} with a fingerprint each: {names}."]


def _request(value: Mapping[str, str], _: str) -> list[str]:
    return [
        f"Made by Roadstead {value['software']}, {moment(value['created'])}. The certificate holds "
        "what was requested and by which rules values were generalized."
    ]


def _signed(value: Mapping[str, Any], _: str) -> list[str]:
    if value["state"] == "unsigned":
        return ["The release is not signed."]
    if value["state"] not in ("claimed", "trusted"):
        return ["The release has a signature that does not hold."]
    role = f" ({value['role']})" if value["role"] else ""
    who = f"{value['signer']}{role}"
    until = f", to count until {value['expires']}" if value["expires"] else ""
    if value["state"] == "trusted":
        return [f"Signed by {who} on {value['signed']}{until}, with the key that was named for it."]
    return [
        f"A whole signature says that {who} signed the release on {value['signed']}{until}. Whose "
        "key it is was not checked."
    ]


def _variables(value: list[list[str]], _: str) -> list[str]:
    return [f"{counted(len(value), 'released column')}, listed with their roles."]


def _removed(value: list[str], _: str) -> list[str]:
    if not value:
        return ["No column of the source was declared identifying and left out."]
    return [f"Left out: {first_few(value, _MANY)}."]


def _looks_like(number: int | None, objection: ObjectionKind | None) -> str:
    if number is not None:
        return identifiers()[number]
    return "an identifier" if objection is None else HELD[objection]


def _look_alikes(value: list[list[Any]], _: str) -> list[str]:
    if not value:
        return [
            "By name and by a sample of values, no released column looked like one of the eighteen "
            "identifiers of Safe Harbor."
        ]
    return [
        f"{column} looks like {_looks_like(number, objection)}"
        + (", and is released because somebody named it so." if forced else ".")
        for column, number, objection, forced in value
    ]


def _treatment(value: list[list[str]], _: str) -> list[str]:
    return [f"{name}: {does}." if name else does for name, does in value]


def _records(value: Mapping[str, Any], _: str) -> list[str]:
    released, records = value["released"], value["records"]
    if records is None:
        return [
            f"{counted(released, 'record')} were made from noisy counts. How many the source has "
            "is not released."
        ]
    masked, dropped = value["masked"], value["dropped"]
    also = f", {format_count(masked)} of them with * in every quasi-identifier" if masked else ""
    out = f"; {format_count(dropped)} are left out" if dropped else ""
    return [f"{format_count(released)} of {counted(records, 'record')} are released{also}{out}."]


def _suppression(value: Mapping[str, Any], _: str) -> list[str]:
    return [
        f"{format_count(value['records'])} of {counted(value['of'], 'record')} are suppressed; at "
        f"most {percent(value['limit'])} may be."
    ]


def _maximum(value: float, unit: str) -> list[str]:
    return [
        "Whoever knows the quasi-identifiers of a person and that the person is in the table "
        f"picks the right {unit} with a probability of at most {odds(value, bound='upper')}."
    ]


def _average(value: float, unit: str) -> list[str]:
    return [
        f"On average over the {unit}s that are released with quasi-identifiers, it is "
        f"{odds(value)}."
    ]


def _smallest(value: Mapping[str, int], unit: str) -> list[str]:
    if unit == "person":
        return [
            f"Whatever may be known of one, at least {format_count(value['smallest'])} persons fit."
        ]
    return [
        f"There are {counted(value['classes'], 'group')} of records that look alike; the smallest "
        f"has {counted(value['smallest'], 'record')}."
    ]


def _before(value: Mapping[str, float], _: str) -> list[str]:
    maximum, average = odds(value["maximum"], bound="upper"), odds(value["average"])
    return [f"Before anything was done, the maximum was {maximum} and the average {average}."]


def _added(value: Mapping[str, Any], _: str) -> list[str]:
    if not value["columns"]:
        return ["No other column is released."]
    unique, records = value["unique"], value["records"]
    like = "like no other" if value["groups_of"] == "records" else "like those of nobody else"
    share = percent(unique / records) if records else "0%"
    others = counted(value["columns"], "other released column")
    return [
        f"Whoever also knows the {others} of a person can do more: with all of them, "
        f"{format_count(unique)} of {counted(records, 'record')} ({share}) are {like}; by the "
        f"quasi-identifiers alone, {format_count(value['quasi_unique'])}. The risks above do "
        "not count that."
    ]


def _expected(value: Mapping[str, Any], _: str) -> list[str]:
    return [
        f"Of {counted(value['released'], 'released record')}, {format_count(value['records'])} "
        "have fewer "
        f"than {counted(value['k'], 'person', 'people')} of the population behind them, as counted "
        "or estimated."
    ]


def _population(value: Mapping[str, int], _: str) -> list[str]:
    return [
        f"{counted(value['people'], 'person', 'people')} of a population are in the "
        f"{counted(value['classes'], 'group')} of the release, {format_count(value['least'])} in "
        "the least of them."
    ]


def _persons(value: Mapping[str, Any], _: str) -> list[str]:
    by = f" The column {value['column']} says whose each record is." if value["column"] else ""
    return [
        f"{format_count(value['released'])} of {counted(value['persons'], 'person')} are in the "
        f"release; {format_count(value['left_out'])} are left out with all their records.{by}"
    ]


_LINKED = {
    "one-each": "Each record is taken to be of another person, and no column links records.",
    "none": "Which records are of one person does not show.",
    "synthetic": "The records are made from noisy counts; none is a person's.",
    "sampled": "The records are some of the table's, drawn by chance. Which are of one person does "
    "not show.",
    "keyed": "Records of one person have one pseudonym, made with a key that the custodian keeps. "
    "Other releases made with that key have the same.",
    "forgotten": "Records of one person have one pseudonym, made with a key that was forgotten. "
    "Other releases have others.",
}


def _link(value: Mapping[str, Any], _: str) -> list[str]:
    return [_LINKED[value["pseudonyms"] or value["linkage"]]]


def _dates(value: Mapping[str, Any], _: str) -> list[str]:
    lines = []
    if value["columns"]:
        lines.append(f"Treated within each person: {first_few(value['columns'], _MANY)}.")
    if value["shift"] is not None:
        how = "with the custodian's key" if value["keyed"] else "by chance"
        lines.append(
            f"Dates of a person are shifted together, {how}, by at most "
            f"{counted(value['shift'], 'day')} either way."
        )
    return lines


def _epsilon(value: list[Any], _: str) -> list[str]:
    return [
        f"epsilon is {value[0]:g}, for {value[1]}. What is bounded is how much the release tells "
        "about whether somebody is in the table, and not a risk of picking the right record."
    ]


def _k_of_tables(value: list[int], _: str) -> list[str]:
    k, knows = value
    codes = "one code" if knows == 1 else f"any {knows} codes"
    return [
        f"Whatever somebody knows of the quasi-identifiers and of {codes} of a released person, at "
        f"least {format_count(k)} released persons fit: the right one is picked with a probability "
        f"of at most {odds(1 / k, bound='upper')}."
    ]


def _loss(value: Mapping[str, Any], _: str) -> list[str]:
    own = words_of(value["kind"])
    return [f"{own.title}: {about(value['loss'])}, {ROUNDED}."]


def _search(value: Mapping[str, Any], _: str) -> list[str]:
    ended = "ended by itself" if value["ending"] == "complete" else "was stopped early"
    proven = " and proved that no allowed policy of its kind loses less" if value["optimal"] else ""
    return [f"The policy was found by the search {value['name']}, which {ended}{proven}."]


def _against(what: str) -> Callable[[Mapping[str, Any], str], list[str]]:
    def words(value: Mapping[str, Any], _: str) -> list[str]:
        risk, threshold = value["risk"], value["threshold"]
        side = "within" if value["under"] else "ABOVE"
        also = f" ({one_in(risk)})" if one_in(risk) else ""
        promised = ", as a bound that follows from the promise" if value["bound"] else ""
        lines = [
            f"{what} is {risk:.4g}{also}{promised}. It is {side} the threshold of "
            f"{decimal_of(threshold)}."
        ]
        if value["bound"] and not value["under"]:
            lines.append("The risk itself was not measured and may be lower.")
        if value["rounds"]:
            lines.append(
                "Rounded to two digits it is the threshold. Many read .09 as groups of eleven; "
                "whether that is meant is for whoever set the threshold to say."
            )
        return lines

    return words


def decimal_of(number: float) -> str:
    """Write a threshold as people write one: 0.09."""
    return f"{number:g}"


def _overall(value: Mapping[str, Any], _: str) -> list[str]:
    product = value["overall"]
    lines = [
        f"The {value['measure']} risk of {value['risk']:.4g} times the probability of an attack "
        f"that people gave, {decimal_of(value['probability'])}, is {product:.4g}."
    ]
    if value["under"] is not None:
        side = "within" if value["under"] else "ABOVE"
        lines.append(f"It is {side} the threshold of {decimal_of(value['threshold'])}.")
    if value["not_certain"]:
        lines.append(
            "People say that the release is public: an attack is certain then, and the probability "
            "that they gave is too low."
        )
    return lines


def _attacks(value: list[Mapping[str, Any]], _: str) -> list[str]:
    """Say what came of all, and of each attack what came nearest to a success."""
    facts = AttackFacts("", _found(value))
    return [
        facts.gist,
        *(f"{attack_words(name).title}: {sentence(facts.of(name)[0])}" for name in facts.names),
    ]


def convicting(names: Sequence[str]) -> str:
    """Name attacks that convict a release."""
    return listed([attack_words(name).title.lower() for name in names])


def _found(value: list[Mapping[str, Any]]) -> tuple[CertifiedAttack, ...]:
    return attacks_of(CertifiedFigure("attacks", "", "", value))


_WORDS: Mapping[str, Callable[[Any, str], list[str]]] = {
    "added": _added,
    "attacks": _attacks,
    "dates": _dates,
    "epsilon": _epsilon,
    "expected": _expected,
    "files": _files,
    "k-of-tables": _k_of_tables,
    "link": _link,
    "look-alikes": _look_alikes,
    "loss": _loss,
    "models": lambda value, _: [f"Held by the release: {listed(value)}."],
    "overall": _overall,
    "own-threshold": _against("By the measure that people chose, the risk"),
    "persons": _persons,
    "population": _population,
    "promise": lambda value, _: [value],
    "records": _records,
    "removed": _removed,
    "request": _request,
    "risk-average": _average,
    "risk-before": _before,
    "risk-maximum": _maximum,
    "search": _search,
    "signed": _signed,
    "smallest": _smallest,
    "suppression": _suppression,
    "threshold-average": _against("The average risk"),
    "threshold-maximum": _against("The maximum risk"),
    "treatment": _treatment,
    "variables": _variables,
    "verified": _verified,
}
