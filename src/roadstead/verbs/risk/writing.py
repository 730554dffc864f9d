"""The files of an assessment, which appear whole or not at all.

``risk.html`` is the page, ``risk.json`` all figures. The latter keeps the fingerprint of the page,
so that only what is still as it was written is replaced.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead import __version__
from roadstead.release.documents import Fingerprint, fingerprint, is_unchanged, write_json
from roadstead.release.staging import check_output, staged
from roadstead.reports.risk_view import (
    AdviceShown,
    AttackView,
    RiskView,
    UniquesView,
)
from roadstead.risk.assessment import Assessment, Chances
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.verbs.risk.advice import Advice
from roadstead.verbs.risk.words import MODELS, below_k

if TYPE_CHECKING:
    from roadstead.verbs.risk.result import RiskFinding

PAGE, FIGURES = "risk.html", "risk.json"

_UNIQUES = {
    "counted": "People of the population who are like no other in it, as its file has them.",
    "pitman": "A law for how new classes appear as more people are counted, by its formula for "
    "large populations.",
    "pitman-exact": "The same law, by what it expects of a population of this size.",
    "zayatz": "The classes of the table stand for those of the population.",
    "snb": "Sizes of classes follow a slide negative binomial distribution.",
    "dankar": "Takes one of the others, by the share of the population that is in the table.",
}


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written to, before any work is done.

    Raises
    ------
    OutputError
        When it exists and `force` is not given, or it holds more than a former assessment.
    """
    check_output(out, force=force, own=_former)


def write(
    found: RiskFinding,
    out: Path,
    *,
    force: bool = False,
    advice: Advice | None = None,
    arguments: Sequence[str] = (),
) -> None:
    """Write an assessment as a folder.

    Parameters
    ----------
    found
        The assessment.
    out
        The folder.
    force
        Replace a former assessment.
    advice
        To be shown with it.
    arguments
        Those of ``roadstead anonymize`` that name the table, for the command in the advice.

    Raises
    ------
    OutputError
        When the folder exists, or cannot be written.
    """
    from roadstead.reports.risk_page import risk_page  # noqa: PLC0415 - charts are heavy

    document = found.to_dict()
    if advice is not None:
        document["advice"] = advice.to_dict() | {"command": found.command(advice, arguments)}
    page = risk_page(view_of(found, advice, arguments))
    with staged(out, force=force, own=_former) as folder:
        (folder / PAGE).write_text(page, encoding="utf-8")
        files = [asdict(fingerprint(folder / PAGE))]
        write_json({**document, "files": files}, folder / FIGURES)


def chart_of(found: RiskFinding) -> str:
    """Draw the risks by attacker, for a notebook."""
    from roadstead.reports.risk_page import attacks_drawn  # noqa: PLC0415 - templates are heavy

    return attacks_drawn(view_of(found, None))


def view_of(found: RiskFinding, advice: Advice | None, arguments: Sequence[str] = ()) -> RiskView:
    """Fill the page."""
    before, after = found.before, found.after
    last = after or before
    return RiskView(
        source=found.source,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        records=found.records,
        attributes=found.quasi,
        threshold=found.threshold,
        population=found.population.label,
        attacks=_attacks(before, after),
        before=_records(before),
        classes=(before.prosecutor.classes, None if after is None else after.prosecutor.classes),
        uniques=(before.prosecutor.uniques, None if after is None else after.prosecutor.uniques),
        contributions=before.contributions,
        combinations=before.combinations,
        population_uniques=tuple(
            UniquesView(
                f"{MODELS[one.model]}{'' if one.takes is None else f' ({MODELS[one.takes]})'}",
                _UNIQUES[one.model],
                one.uniques,
                one.share,
            )
            for one in before.population_uniques
            if one.uniques is not None and one.share is not None
        ),
        advice=None
        if advice is None
        else AdviceShown(
            advice.attacker,
            advice.says,
            advice.statement,
            advice.notes,
            found.command(advice, arguments),
        ),
        below_k=tuple(below_k(found)),
        notes=found.notes,
        policy=found.policy,
        suppressed=last.suppressed,
        after=None if after is None else _records(after),
    )


def _records(table: Assessment) -> tuple[tuple[int, int], ...]:
    return tuple((size, size * number) for size, number in table.sizes)


def _attacks(before: Assessment, after: Assessment | None) -> tuple[AttackView, ...]:
    """Give every risk, before and after."""
    found = _of(
        "Prosecutor",
        "f",
        "who knows that the person is in the table",
        before.prosecutor,
        None if after is None else after.prosecutor,
    )
    if before.journalist is not None:
        found += _of(
            "Journalist",
            "F",
            "who takes whomever a register of the population leads to",
            before.journalist,
            None if after is None else after.journalist,
        )
    return tuple(found)


def _of(
    attacker: str,
    alike: str,
    who: str,
    before: ProsecutorRisk | Chances,
    after: ProsecutorRisk | Chances | None,
) -> list[AttackView]:
    """Give the three risks of an attacker."""
    told = f", estimated as the expectation of 1/{alike}" if _estimated(before) else ""
    mean = "classes / records" if alike == "f" else "mean of 1/F"
    also = (
        " It is also the share that a marketer gets right, who matches all records."
        if alike == "F"
        else " Without knowledge of the population, it is also that of a marketer."
    )
    return [
        AttackView(
            f"{attacker}, highest",
            f"1 / least {alike}",
            f"The record that is easiest to find, for somebody {who}{told}.",
            before.maximum,
            None if after is None else after.maximum,
            bound="upper",
        ),
        AttackView(
            f"{attacker}, average",
            mean,
            f"The share of all records expected to be found, if every one were looked for.{also}",
            before.average,
            None if after is None else after.average,
        ),
        AttackView(
            f"{attacker}, above the threshold",
            f"share with 1/{alike} above it",
            "Records whose risk is more than acceptable.",
            before.share_above_threshold,
            None if after is None else after.share_above_threshold,
            scale=False,
        ),
    ]


def _estimated(risk: ProsecutorRisk | Chances) -> bool:
    return isinstance(risk, Chances) and risk.estimated


def _former(folder: Path) -> frozenset[str]:
    """Name what is still as a former assessment was written."""
    try:
        document = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
        files = [Fingerprint(**one) for one in document["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
    return frozenset({FIGURES, *(one.name for one in files if is_unchanged(folder, one))})
