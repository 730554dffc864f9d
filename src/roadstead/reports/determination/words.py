"""Write sentences about each figure in a determination, and about missing figures.

No sentence draws a conclusion, because people decide whether a risk is acceptable. A sentence only
reports whether a risk is above or below a threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roadstead.determination.figures import attacks_of
from roadstead.quality.words import words_of
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.facts import CertifiedFigure
from roadstead.release.identifiers_left import UNJUDGED
from roadstead.release.ledger.facts import overlay_of
from roadstead.reports.attacks.facts import AttackFacts, sentence
from roadstead.reports.attacks.words import attack_words
from roadstead.reports.determination.risk_words import RISK_WORDS
from roadstead.reports.ledger import overlay_notes
from roadstead.reports.numbers import percent
from roadstead.reports.rounded import about, rounded
from roadstead.reports.wording import (
    counted,
    first_few,
    format_count,
    listed,
    moment,
    odds,
    without_shifted,
)
from roadstead.tables.identifiers.findings import identifiers
from roadstead.tables.identifiers.objections import HELD, ObjectionKind

LABELS = {
    "added": "Other released columns",
    "attacks": "Attacks",
    "dates": "Dates",
    "earlier": "Comparison with earlier releases",
    "epsilon": "Privacy budget",
    "expected": "People behind the records",
    "files": "Files",
    "k-of-tables": "People who match",
    "link": "Rows of one person",
    "look-alikes": "Columns that look like identifiers",
    "loss": "Loss",
    "models": "Privacy models",
    "overall": "Overall risk",
    "own-threshold": "Threshold set by people",
    "persons": "People",
    "population": "Population",
    "promise": "Privacy requirements",
    "records": "Records",
    "removed": "Columns left out",
    "request": "Request",
    "risk-average": "Average risk",
    "risk-before": "Risk before",
    "risk-maximum": "Maximum risk",
    "risk-undone": "Risk if a column undoes groups",
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
    "pseudonym": "person ID replaced with a pseudonym",
    "key": "key",
    "date": "date",
    "code": "known about the person",
    "sensitive": "sensitive",
    "unchanged": "unchanged",
    "forced": "looks like an identifier, released anyway",
    "public": "public domain",
    "released": "released",
}
_MANY = 40
"""The largest number of columns in a sentence. If there are more, only the first ones are named."""


def said(figure: CertifiedFigure, unit: str) -> tuple[str, ...]:
    """Describe a figure in one or more sentences. `unit` is the counted unit."""
    return tuple(_WORDS[figure.id](figure.value, unit))


def not_there(figure: str, kind: str) -> str:
    """Report that a figure is missing, and give the reason."""
    if figure == "attacks":
        return "The certificate does not contain results of attacks on this release."
    if figure == "overall":
        return (
            "Not computed, because the probability of an attack is not assessed. The "
            "overall risk is the risk of the data multiplied by this probability."
        )
    if kind == "private":
        return (
            f"{LABELS[figure]}: not measured. The release has noisy counts, and its guarantee is "
            "of a different kind."
        )
    return f"{LABELS[figure]}: not in the certificate."


def _verified(value: Mapping[str, Any], _: str) -> list[str]:
    lines = [f"Verified again for this document: {counted(value['checks'], 'check')} passed."]
    if value["rests_on"]:
        lines.append(
            f"Whether all privacy requirements are met also depends on {value['rests_on']}."
        )
    if value["unchecked"]:
        lines.append(f"The files alone cannot show: {'; '.join(value['unchecked'])}.")
    return lines


def _files(value: list[list[Any]], _: str) -> list[str]:
    names = first_few([name for name, _, _ in value], _MANY)
    return [f"The certificate has the fingerprint of {counted(len(value), 'file')}: {names}."]


def _request(value: Mapping[str, str], _: str) -> list[str]:
    return [
        f"Made by Roadstead {value['software']} on {moment(value['created'])}. The "
        "certificate contains the request, and the rules that generalized the values."
    ]


def _signed(value: Mapping[str, Any], _: str) -> list[str]:
    if value["state"] == "unsigned":
        return ["The release is not signed."]
    if value["state"] not in ("claimed", "trusted"):
        return ["The signature of the release is not valid."]
    role = f" ({value['role']})" if value["role"] else ""
    who = f"{value['signer']}{role}"
    until = f", valid until {value['expires']}" if value["expires"] else ""
    if value["state"] == "trusted":
        return [f"Signed by {who} on {value['signed']}{until}, with the expected key."]
    return [
        f"The signature states that {who} signed the release on {value['signed']}{until}. "
        "Roadstead did not check who owns the key."
    ]


def _variables(value: list[list[str]], _: str) -> list[str]:
    return [f"{counted(len(value), 'released column')}, listed with their roles."]


def _removed(value: list[str], _: str) -> list[str]:
    if not value:
        return ["No column of the source was left out as a direct identifier."]
    return [f"Left out: {first_few(value, _MANY)}."]


def _looks_like(number: int | None, objection: ObjectionKind | None) -> str:
    if number is not None:
        return identifiers()[number]
    return "an identifier" if objection is None else HELD[objection]


def _look_alikes(value: list[list[Any]], _: str) -> list[str]:
    quasi = [
        f"{column} is a quasi-identifier. According to the policy, at least some records "
        f"still show {identifiers()[number]}."
        if number != UNJUDGED
        else f"Not assessed: the policy does not show whether the quasi-identifier {column} shows "
        "dates finer than a year or unchanged places."
        for column, number, kind, _ in value
        if kind == "quasi-identifier"
    ]
    others = [
        f"{column} looks like {_looks_like(number, kind)}"
        + (", and was released anyway." if forced else ".")
        for column, number, kind, forced in value
        if kind != "quasi-identifier"
    ]
    if not others:
        others = [
            "Roadstead compared the names of the released columns, and a sample of their "
            "values, with the 18 identifiers of Safe Harbor. Apart from the "
            "quasi-identifiers, no column looked like one of them."
        ]
    if not quasi:
        quasi = [
            "According to the policy, the quasi-identifiers do not show any dates finer "
            "than a year, any ZIP codes with more than three digits, or any unchanged "
            "places."
        ]
    return [*others, *quasi]


def _treatment(value: list[list[str]], _: str) -> list[str]:
    return [f"{name}: {does}." if name else does for name, does in value]


def _records(value: Mapping[str, Any], _: str) -> list[str]:
    released, records = value["released"], value["records"]
    if records is None:
        return [
            f"{counted(released, 'record')} were made from noisy counts. The number of records in "
            "the source is not released."
        ]
    masked, dropped = value["masked"], value["dropped"]
    also = f", {format_count(masked)} of them with * in every quasi-identifier" if masked else ""
    out = f"; {format_count(dropped)} are left out" if dropped else ""
    if gone := value.get("shifted_out", 0):
        out += (
            f"; {format_count(gone)} are left out near or beyond the ends of the shifted date range"
        )
    of = counted(records + gone, "record")
    return [f"{format_count(released)} of {of} are released{also}{out}."]


def _suppression(value: Mapping[str, Any], _: str) -> list[str]:
    units = ("person", "people") if value["people"] else ("record", "records")
    done = "left out with all their records" if value["people"] else "suppressed"
    share = percent(value["left_out"] / value["of"] if value["of"] else 0.0)
    out, of = format_count(value["left_out"]), counted(value["of"], *units)
    gone = [one for one in (without_shifted(*(value.get("shifted_out") or (0, 0))),) if one]
    return [f"{out} of {of} ({share}) are {done}; the limit is {percent(value['limit'])}.", *gone]


def _persons(value: Mapping[str, Any], _: str) -> list[str]:
    by = f" The person ID column is {value['column']}." if value["column"] else ""
    gone, in_part = value.get("shifted_out", 0), value.get("in_part", 0)
    shifted = f", {format_count(gone)} of them by the shift of dates" if gone else ""
    lost = f" {counted(in_part, 'person', 'people')} in the release lost some records."
    return [
        f"{format_count(value['released'])} of "
        f"{counted(value['persons'] + gone, 'person', 'people')} are in the release; "
        f"{format_count(value['left_out'] + gone)} are left out with all their records{shifted}."
        f"{lost if in_part else ''}{by}"
    ]


_LINKED = {
    "one-each": "Each record is assumed to belong to a different person. No column links records.",
    "none": "The release contains neither the person ID nor a pseudonym.",
    "synthetic": "The records are made from noisy counts. No record belongs to a person.",
    "sampled": "The records are a random sample of the table. The release does not show which "
    "records belong to the same person.",
    "keyed": "Records of one person have the same pseudonym, made with a key that the custodian "
    "keeps. Other releases made with this key have the same pseudonyms, so anyone who has two such "
    "releases can join the records of a person. The privacy requirements hold for each release "
    "alone.",
    "forgotten": "Records of one person have the same pseudonym, made with a key that was not "
    "kept. Other releases have different pseudonyms.",
}


def _link(value: Mapping[str, Any], _: str) -> list[str]:
    return [_LINKED[value["pseudonyms"] or value["linkage"]]]


def _dates(value: Mapping[str, Any], _: str) -> list[str]:
    lines = []
    if value["columns"]:
        lines.append(
            "Columns that were changed for each person separately: "
            f"{first_few(value['columns'], _MANY)}."
        )
    if value["shift"] is not None:
        how = "chosen with the custodian's key" if value["keyed"] else "chosen at random"
        lines.append(
            f"All dates of a person are shifted by the same number of days ({how}), at most "
            f"{counted(value['shift'], 'day')} earlier or later."
        )
    if value.get("times_of_day"):
        lines.append(
            f"Released with the exact time of day: {first_few(value['times_of_day'], _MANY)}. An "
            "attacker who knows the exact time of an event can find the person."
        )
    return lines


def _epsilon(value: list[Any], _: str) -> list[str]:
    return [
        f"Epsilon is {value[0]:g}, for {value[1]}. Epsilon limits how much the release "
        "reveals about whether a person is in the table. It is not a risk of picking the "
        "right record."
    ]


def _k_of_tables(value: list[int], _: str) -> list[str]:
    k, knows = value
    codes = "one code" if knows == 1 else f"any {knows} codes"
    return [
        f"An attacker may know the quasi-identifiers and {codes} of a person in the release. "
        f"At least {format_count(k)} people in the release match this knowledge, so the attacker "
        f"picks the right person with a probability of at most {odds(1 / k, bound='upper')}."
    ]


def _loss(value: Mapping[str, Any], _: str) -> list[str]:
    own = words_of(value["kind"])
    return [f"{own.title}: {about(value['loss'])}, {rounded(value['loss'])}."]


def _search(value: Mapping[str, Any], _: str) -> list[str]:
    ended = "is complete" if value["ending"] == "complete" else "was stopped early"
    proven = (
        ", and it proved that no allowed policy of this kind has a lower loss"
        if value["optimal"]
        else ""
    )
    return [f"The {value['name']} search found the policy. The search {ended}{proven}."]


def _attacks(value: list[Mapping[str, Any]], _: str) -> list[str]:
    """Summarize all attacks, and give the strongest result of each attack."""
    facts = AttackFacts("", _found(value), rounded=True)
    said = {name: sentence(facts.of(name)[0], rounded=True) for name in facts.names}
    return [facts.gist, *(f"{attack_words(name).title}: {one}" for name, one in said.items())]


def convicting(names: Sequence[str]) -> str:
    """Name the attacks that succeed."""
    return listed([attack_words(name).title.lower() for name in names])


def _found(value: list[Mapping[str, Any]]) -> tuple[CertifiedAttack, ...]:
    return attacks_of(CertifiedFigure("attacks", "", "", value))


_WORDS: Mapping[str, Callable[[Any, str], list[str]]] = {
    **RISK_WORDS,
    "attacks": _attacks,
    "dates": _dates,
    "earlier": lambda value, _: list(overlay_notes(overlay_of(value))),
    "epsilon": _epsilon,
    "files": _files,
    "k-of-tables": _k_of_tables,
    "link": _link,
    "look-alikes": _look_alikes,
    "loss": _loss,
    "models": lambda value, _: [f"The release meets {listed(value)}."],
    "persons": _persons,
    "promise": lambda value, _: [value],
    "records": _records,
    "removed": _removed,
    "request": _request,
    "search": _search,
    "signed": _signed,
    "suppression": _suppression,
    "treatment": _treatment,
    "variables": _variables,
    "verified": _verified,
}
