"""The words of each attack, a file each, and how a finding becomes a sentence by them.

A file is called as the attack is. It has a `title`; `about`, what is tried, in a sentence or two;
`sources`, keys of publications; and `variants`. The first variant whose `when` agrees with what was
known says the finding: in `says`, every number and name of the knowledge has a place, and so have
``{attempts}``, ``{successes}``, ``{success}``, ``{guessing}`` and ``{allowed}``. An attack without
a file, as of another package, is said by its name and its numbers.
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
_UNDECIDED = "not convicted, and not shown to hold either"
_SHORT = {"it holds": "holds", "none was found": "none found", _UNDECIDED: "undecided"}
_SINGULAR = {
    "attempts": "attempt",
    "cases": "case",
    "classes": "class",
    "other columns": "other column",
    "people": "person",
    "records": "record",
    "statements": "statement",
    "values": "value",
}
_PLURALS = re.compile(rf"(?<![\d,.])1 ({'|'.join(_SINGULAR)})\b")
_UNKNOWN = "It was right in {success} of {attempts} attempts; guessing, in {guessing}."


@dataclass(frozen=True)
class AttackWords:
    """An attack as a reader meets it."""

    title: str
    about: str = ""
    sources: tuple[str, ...] = ()
    variants: tuple[Mapping[str, Any], ...] = ()


@cache
def attack_words(name: str) -> AttackWords:
    """Read the words of an attack; of one that has none its name stands for them."""
    file = files(__package__) / "words" / f"{name}.toml"
    if not file.is_file():
        return AttackWords(name.replace("-", " ").capitalize())
    words = tomllib.loads(file.read_text(encoding="utf-8"))
    lists = {key: tuple(words.get(key, ())) for key in ("sources", "variants")}
    return AttackWords(**words | lists)


def found_in_words(one: CertifiedAttack) -> str:
    """Say what was found, without the verdict."""
    places = _places(one)
    more = (
        f" {places['overlap']} of these people are in the release." if "overlap" in places else ""
    )
    for variant in attack_words(one.attack).variants:
        if all(
            _same(one.knowledge.get(key), value) for key, value in variant.get("when", {}).items()
        ):
            return _one_is_one(str(variant["says"]).format_map(places)) + more
    known = "; ".join(f"{key}: {text}" for key, text in _known(one).items())
    return (
        f"{known.capitalize()}. {_UNKNOWN.format_map(places)}"
        if known
        else _UNKNOWN.format_map(places)
    )


def _one_is_one(text: str) -> str:
    """Write "1 attempt" where the words of all numbers say "1 attempts"."""
    return _PLURALS.sub(lambda found: f"1 {_SINGULAR[found[1]]}", text)


def _same(found: object, value: object) -> bool:
    """TOML has lists where a certificate has tuples."""
    return (list(found) if isinstance(found, tuple) else found) == value


class _Places(dict[str, str]):
    """Texts by place; one that a certificate lacks is said to be."""

    def __missing__(self, key: str) -> str:
        return "(not said)"


def _places(one: CertifiedAttack) -> _Places:
    successes = round(one.successes) if one.counted else one.successes
    numbers = {
        "attempts": format_count(one.attempts),
        "successes": format_count(successes) if isinstance(successes, int) else f"{successes:,.1f}",
        "success": percent(one.success),
        "guessing": percent(one.guessing),
        "allowed": percent(one.allowed, bound="upper") if one.allowed is not None else "nothing",
    }
    return _Places({**_known(one), **numbers})


def _known(one: CertifiedAttack) -> dict[str, str]:
    """Write what is known; names of columns come from a file, and are shown as they can be."""
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
    """Whether an attack that the promise does not cover finds more than the promise allows."""
    return one.knowledge.get("beyond") is True


def judged_in_words(one: CertifiedAttack) -> str:
    """Say what a finding is held against, and what follows."""
    allowed = "" if one.allowed is None else percent(one.allowed, bound="upper")
    if one.against == "nothing":
        if is_beyond(one):
            return "This does not break the promise, because the promise is not about this."
        return "The release promises nothing of this, so it convicts nobody."
    if one.against == "guessing":
        held = "Nobody was to be better than by guessing"
    elif one.allowed == 0:
        held = "None is allowed"
    elif one.knowledge.get("bound") == "usual":
        held = f"No promise speaks of this; above {allowed} a column is taken for an identifier"
    else:
        held = f"The promise allows {allowed}"
    return f"{held}: {_verdict(one)}."


def _verdict(one: CertifiedAttack) -> str:
    """Say that it holds only where the other end of the interval says so too."""
    if one.convicted:
        return "CONVICTED"
    if one.counted:
        return "it holds"
    if one.allowed == 0 and one.tolerance == 0:
        return "none was found"
    return _UNDECIDED if is_undecided(one) else "it holds"


def interval_in_words(one: CertifiedAttack) -> str:
    """Write the difference from guessing with its interval, of how many attempts."""
    attempts = counted(one.attempts, "attempt")
    if one.counted:
        return f"Everything was looked at; difference from guessing {percent(one.gain)}."
    ends = f"{percent(one.low, bound='lower')} to {percent(one.high, bound='upper')}"
    return f"{attempts}; difference from guessing {percent(one.gain)}, interval {ends}."


def difference_in_words(one: CertifiedAttack) -> str:
    """Write how much more often than guessing it is right, for a cell of a table."""
    if one.counted:
        return percent(one.gain)
    return f"{percent(one.low, bound='lower')} to {percent(one.high, bound='upper')}"


def verdict_in_words(one: CertifiedAttack) -> str:
    """Say what follows from a finding, for a cell of a table."""
    if one.against == "nothing":
        return "beyond the promise" if is_beyond(one) else "shown only"
    found = _verdict(one)
    return _SHORT.get(found, found)


def attempts_in_words(number: int) -> str:
    """Write how many ways were tried."""
    return counted(number, "way")
