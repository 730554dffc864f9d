"""Numbers as people write them, and rules that read them, to compare SQL with the rules."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

from roadstead.hierarchies.rules import Bands, Cuts

_SIGNS = ("", "> ", ">=", "\u2265 ", "< ", "<=", "under ", "Over", "at least ", "up to ", "about ")
_NUMBERS = ("0", "1", "4", "6", "18", "045", "89", "90", "24", "730", "12.5", "0.5", "-3", "5e1")
_UNITS = ("", "Y", " years", " yrs old", "m", " MO", " months", "w", " days", "h", "M3", " ml")
_ENDS = ("", "+", " +", " and over", " or older", "-95", " and under")
WORDS = ("", "unknown", "refused", "+", "months", " ", "?")
USUAL = {
    "mixed": ("45", "> 89", ">=90", "90+", "90 and over", "<18", "12.5", *WORDS),
    "ages": (
        *("45", "045Y", "5 months", "18m", "12W", "730 days", "> 89", "90+", "<1", "90 years +"),
        *("under 18 years", "6 months old", *WORDS),
    ),
}
"""Texts that SQL must read."""
ALL = tuple(
    dict.fromkeys(
        (
            *("".join(parts) for parts in product(_SIGNS, _NUMBERS, _UNITS, ("", "+"))),
            *("".join(parts) for parts in product(("", "> "), _NUMBERS, ("", " years"), _ENDS)),
            *WORDS,
            *USUAL["mixed"],
            *USUAL["ages"],
        )
    )
)
"""Texts of many forms, of which some are not numbers."""
RULES = tuple(
    make
    for form in ("mixed", "ages")
    for make in (
        Bands(Decimal(5), integer=True, top=Decimal(90), form=form),
        Bands(Decimal(10), Decimal(3), integer=True, bottom=Decimal(18), form=form),
        Bands(Decimal(1), integer=True, form=form),
        Bands(Decimal("0.5"), integer=False, top=Decimal(20), bottom=Decimal(1), form=form),
        Cuts((Decimal(18), Decimal(65), Decimal(90)), integer=True, form=form),
        Cuts((Decimal("0.5"), Decimal(40)), integer=False, form=form),
    )
)


def require_same(rule: Bands | Cuts, labels: dict[str, str]) -> None:
    """Require that SQL gives the rule's labels, and that it reads all usual texts."""
    wanted = {value: rule.label(value) for value in ALL}
    wrong = {v: (got, wanted[v]) for v, got in labels.items() if got != wanted[v]}
    assert not wrong, wrong
    unread = [value for value in USUAL[rule.form] if value not in labels]
    assert not unread, unread


def rows() -> list[tuple[str, str]]:
    """Return each text twice, with its place."""
    return [(v, str(at)) for at, v in enumerate(ALL) for _ in range(2)]


def labels_of(found: list[tuple[str | None, str]]) -> dict[str, str]:
    """Return the label of each text in the rows of a statement."""
    return {ALL[int(at)]: label or "" for label, at in found}
