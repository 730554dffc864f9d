"""A differentially private release in words, for the terminal and for notebooks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from roadstead.differential.attribute_cuts import AttributeCut, SetCut
from roadstead.differential.budget import Grant
from roadstead.release.private.cells import names_of
from roadstead.reports.wording import counted, legible, shortened, whole
from roadstead.verbs.anonymize.words import listed
from roadstead.verbs.synthesize.found import FoundSynthesis, is_told

_LABELS, _COLUMNS = 6, 72
_NUMBERED = re.compile(r" \d+$")


def summary(found: FoundSynthesis) -> list[str]:
    """Say what would be released, and what it cost."""
    target, groups = found.request.target, found.synthesis.groups
    lines = [
        f"{found.source}: {found.guarantee}",
        f"{_specializations(found)}, so as to tell {target} ({', '.join(found.classes)}):",
        *_cuts(found.cuts),
        f"{counted(found.groups, 'group')} of {whole(groups.all_groups)} listed, those with a "
        f"noisy count of {whole(groups.least)} or more; they make "
        f"{counted(found.records, 'record')} to be released.",
        "",
        *_ledger(found.synthesis.ledger, found.synthesis.epsilon),
    ]
    return [*lines, *(["", *found.notes] if found.notes else [])]


def _specializations(found: FoundSynthesis) -> str:
    number = counted(found.specializations, "specialization")
    if found.request.specializations is None and not found.synthesis.totals_alone:
        return f"{number}, a number chosen privately too, by {found.request.score.name}"
    return f"{number} by {found.request.score.name}"


def _cuts(cuts: Sequence[AttributeCut]) -> list[str]:
    """Tell the cut of each attribute; those of which nothing is told share a line."""
    told = [cut for cut in cuts if is_told(cut)]
    width = max((len(cut.attribute) for cut in told), default=0)
    lines = [f"  {cut.attribute.ljust(width)}  {_told(cut)}" for cut in told]
    rest = tuple(cut.attribute for cut in cuts if not is_told(cut))
    return [*lines, f"  nothing is told of {listed(rest)}"] if rest else lines


def _told(cut: AttributeCut) -> str:
    labels = [legible(label) for label in names_of(cut)]
    kind = "whether it has any of: " if isinstance(cut, SetCut) else ""
    said = shortened("; ".join(labels[:_LABELS]), _COLUMNS)
    more = f"; {len(labels) - _LABELS} more" if len(labels) > _LABELS else ""
    return f"{kind}{said}{more}"


def _ledger(ledger: Sequence[Grant], epsilon: Fraction) -> list[str]:
    """List what the budget was spent on; steps that differ only in their number stand together."""
    spent: dict[str, list[Fraction]] = {}
    for grant in ledger:
        spent.setdefault(_NUMBERED.sub("", grant.step), []).append(grant.epsilon)
    rows = [("The budget", "times", "epsilon")]
    rows += [
        (step, whole(len(each)), _amount(sum(each, Fraction()))) for step, each in spent.items()
    ]
    rows.append(("together", "", _amount(epsilon)))
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    return [
        ("" if place == 0 else "  ")
        + row[0].ljust(widths[0] + (2 if place == 0 else 0))
        + "".join(f"  {cell.rjust(width)}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for place, row in enumerate(rows)
    ]


def _amount(epsilon: Fraction) -> str:
    return f"{float(epsilon):.4g}"
