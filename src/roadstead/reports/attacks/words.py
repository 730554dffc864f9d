"""Read the description of each attack from a file, and compose sentences from it.

The file with the name of an attack has a `title`, `about` (what the attacker does), `sources` (keys
of publications), and `variants`. Each variant can have a condition `when`. The first variant whose
condition matches the attacker's knowledge describes the result. The text `says` has fields for the
numbers and names in the knowledge, and for ``{attempts}``, ``{successes}``, ``{success}``,
``{guessing}``, and ``{allowed}``. If an attack has no file, the description consists of its name
and its numbers.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from roadstead.release.evidence import CertifiedAttack, is_undecided
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, first_few, format_count, legible

_SHARES = ("errors", "overlap")
_NAMES = 8
_UNDECIDED = "undecided (neither shown to succeed nor shown to fail)"
_SHORT = {
    "the attack fails": "fails",
    "the attack SUCCEEDS": "SUCCEEDS",
    "nothing was found": "nothing found",
    _UNDECIDED: "undecided",
}
_SINGULAR = {
    "attempts": "attempt",
    "cases": "case",
    "classes": "class",
    "groups": "group",
    "more groups": "more group",
    "other columns": "other column",
    "people or rows": "person or row",
    "people": "person",
    "records": "record",
    "statements": "statement",
    "values": "value",
}
_PLURALS = re.compile(rf"(?<![\d,.])1 ({'|'.join(_SINGULAR)})\b")
_VERBS = re.compile(r"(?<![\d,.])(1 of [\d,]+ [a-z]+) are\b")
_SENTENCE = re.compile(r"(?:^|\. )about (?=\d)")
INTERVALS = (
    "If attacks that test a privacy requirement were run at the same time, all their "
    "intervals together have 95% confidence. For the other attacks, each interval alone "
    "has 95% confidence."
)
ROUNDED = (
    "Figures with “about” were computed with the original table, and are rounded to half a percent."
)
_UNKNOWN = (
    "The attack is right in {success} of {attempts} attempts. Guessing is right in {guessing}."
)


@dataclass(frozen=True)
class AttackWords:
    """The words that describe an attack."""

    title: str
    about: str = ""
    sources: tuple[str, ...] = ()
    variants: tuple[Mapping[str, Any], ...] = ()


@cache
def attack_words(name: str) -> AttackWords:
    """Return the description of an attack. If the attack has no file, return only its name."""
    file = files(__package__) / "words" / f"{name}.toml"
    if not file.is_file():
        return AttackWords(name.replace("-", " ").capitalize())
    words = tomllib.loads(file.read_text(encoding="utf-8"))
    lists = {key: tuple(words.get(key, ())) for key in ("sources", "variants")}
    return AttackWords(**words | lists)


def share_in_words(one: CertifiedAttack, share: float, *, rounded: bool) -> str:
    """Return a share of attempts, with "about" if it was rounded for sharing."""
    return f"{_about(one, rounded=rounded)}{percent(share)}"


def _about(one: CertifiedAttack, *, rounded: bool) -> str:
    return "about " if rounded and one.needs else ""


def found_in_words(one: CertifiedAttack, *, rounded: bool = False) -> str:
    """Describe a result in words, without the verdict. The text says if figures are `rounded`."""
    places = _places(one, rounded=rounded)
    more = (
        f" {places['overlap']} of these people are in the release." if "overlap" in places else ""
    )
    if "without_value" in places:
        more += (
            f" People whose {places['secret']} is empty are not counted ({places['without_value']} "
            "of the sample), because an empty cell is not a value."
        )
    for variant in attack_words(one.attack).variants:
        if all(
            _same(one.knowledge.get(key), value) for key, value in variant.get("when", {}).items()
        ):
            return _SENTENCE.sub(
                lambda found: found[0].replace("about", "About"),
                _one_is_one(str(variant["says"]).format_map(places)) + more,
            )
    known = "; ".join(f"{key}: {text}" for key, text in _known(one).items())
    return (
        f"{known.capitalize()}. {_UNKNOWN.format_map(places)}"
        if known
        else _UNKNOWN.format_map(places)
    )


def _one_is_one(text: str) -> str:
    """Replace "1 attempts" with "1 attempt", and "1 of 9 records are" with "1 of 9 records is"."""
    text = _VERBS.sub(r"\1 is", text)
    return _PLURALS.sub(lambda found: f"1 {_SINGULAR[found[1]]}", text)


def _same(found: object, value: object) -> bool:
    """Return whether two values are equal. A list from TOML equals a tuple with the same items."""
    return (list(found) if isinstance(found, tuple) else found) == value


class _Places(dict[str, str]):
    """The text for each field. If the certificate lacks a field, the text is a placeholder."""

    def __missing__(self, key: str) -> str:
        return "(not recorded)"


def _places(one: CertifiedAttack, *, rounded: bool) -> _Places:
    successes = round(one.successes) if one.counted else one.successes
    numbers = {
        "attempts": format_count(one.attempts),
        "successes": _about(one, rounded=rounded)
        + (format_count(successes) if isinstance(successes, int) else f"{successes:,.1f}"),
        "success": share_in_words(one, one.success, rounded=rounded),
        "guessing": share_in_words(one, one.guessing, rounded=rounded),
        "allowed": percent(one.allowed, bound="upper") if one.allowed is not None else "nothing",
    }
    return _Places({**_known(one), **numbers})


def _known(one: CertifiedAttack) -> dict[str, str]:
    """Describe the attacker's knowledge. Every character of the column names is visible."""
    found = {}
    for key, value in one.knowledge.items():
        if isinstance(value, bool):
            found[key] = "yes" if value else "no"
        elif isinstance(value, tuple):
            found[key] = _names(tuple(map(legible, value)))
        elif isinstance(value, int):
            found[key] = format_count(value)
        elif isinstance(value, float):
            found[key] = percent(value) if key in _SHARES else f"{value:g}"
        else:
            found[key] = legible(value)
    return found


def _names(names: tuple[str, ...]) -> str:
    if len(names) > _NAMES:
        return first_few(names, _NAMES - 1)
    *most, last = names or ("nothing",)
    return f"{', '.join(most)} and {last}" if most else last


def is_beyond(one: CertifiedAttack) -> bool:
    """Return whether an attack outside the privacy requirements succeeds too often."""
    return one.knowledge.get("beyond") is True


def judged_in_words(one: CertifiedAttack) -> str:
    """Return a sentence that gives the limit for a result, and the verdict."""
    allowed = "" if one.allowed is None else percent(one.allowed, bound="upper")
    if one.against == "nothing":
        if is_beyond(one):
            return "The privacy requirements do not cover this attack, so it does not break them."
        return "No privacy requirement covers this attack. The result is for information only."
    if one.against == "guessing":
        held = "The attack should not be better than guessing"
    elif one.allowed == 0:
        held = "The privacy requirements do not allow such a case"
    elif one.knowledge.get("bound") == "usual":
        held = (
            f"No privacy requirement covers this. Above {allowed}, a column counts as an identifier"
        )
    else:
        held = f"The privacy requirements allow {allowed}"
    return f"{held}: {_verdict(one)}."


def _verdict(one: CertifiedAttack) -> str:
    """Return the verdict. An attack fails only if its whole interval is within the limit."""
    if one.convicted:
        return "the attack SUCCEEDS"
    if one.counted:
        return "the attack fails"
    if one.allowed == 0 and one.tolerance == 0:
        return "nothing was found"
    return _UNDECIDED if is_undecided(one) else "the attack fails"


def interval_in_words(one: CertifiedAttack, *, rounded: bool = False) -> str:
    """Describe the number of attempts, the gain over guessing, and its confidence interval."""
    attempts = counted(one.attempts, "attempt")
    gain = share_in_words(one, one.gain, rounded=rounded)
    if one.counted:
        kind = "All records were tested" if gain.startswith("about") else "Exact count"
        return f"{kind}; the difference from guessing is {gain}."
    ends = f"{percent(one.low, bound='lower')} to {percent(one.high, bound='upper')}"
    return f"{attempts}; the difference from guessing is {gain} (interval: {ends})."


def difference_in_words(one: CertifiedAttack, *, rounded: bool = False) -> str:
    """Return the gain of the attack over guessing, for a cell of a table."""
    if one.counted:
        return share_in_words(one, one.gain, rounded=rounded)
    return f"{percent(one.low, bound='lower')} to {percent(one.high, bound='upper')}"


def verdict_in_words(one: CertifiedAttack) -> str:
    """Return the verdict for a cell of a table."""
    if one.against == "nothing":
        return "not covered" if is_beyond(one) else "for information"
    found = _verdict(one)
    return _SHORT.get(found, found)


def attempts_in_words(number: int) -> str:
    """Return the number of variants that were run."""
    return counted(number, "attack variant")
