"""Compare measured risks with the exact values of thresholds.

The risk 1/11 is above 0.09, but it rounds to 0.09, and many people read 0.09 as groups of 11. Such
a risk is marked, so that the reader can decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from roadstead.determination.answers import AllAnswers
from roadstead.determination.figures import MeasuredRelease
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.facts import CertifiedFigure

_DIGITS = 2


def rounds_to(risk: float, threshold: float) -> bool:
    """Return whether a risk is above a threshold, but equal to it when rounded to two digits."""
    return risk > threshold and round(risk, _DIGITS) == threshold


def compared(
    of: MeasuredRelease, answers: AllAnswers, named: float | None
) -> dict[str, CertifiedFigure]:
    """Compare a risk with the thresholds that people and the dialect have set."""
    risks = _risks(of)
    found = dict(_with_named(risks, named)) if named is not None else {}
    own, measure = answers.threshold.value, answers.threshold.measure
    if measure is not None and measure in risks:
        figure, bound = risks[measure]
        if own is not None:
            found["own-threshold"] = _against("own-threshold", figure, own, bound=bound)
    probability = answers.attackers.probability
    chosen = risks.get(measure or "maximum")
    if probability is not None and chosen is not None:
        figure, bound = chosen
        product = figure.value * probability
        value = {
            "risk": figure.value,
            "probability": probability,
            "overall": product,
            "measure": measure or "maximum",
            "threshold": own,
            "under": None if own is None else product <= own,
            "bound": bound,
            "not_certain": answers.recipient.model == "public" and probability < 1.0,
        }
        found["overall"] = CertifiedFigure(
            "overall", CERTIFICATE, figure.field, value, figure.checked
        )
    return found


def _risks(of: MeasuredRelease) -> Mapping[str, tuple[CertifiedFigure, bool]]:
    """Return each known risk, and whether the risk is only an upper bound."""
    found = {}
    for measure in ("maximum", "average"):
        if (figure := of.figures.get(f"risk-{measure}")) is not None:
            found[measure] = (figure, False)
    undone = of.figures.get("risk-undone")
    if undone is not None and undone.value["at_least"]:
        del found["maximum"]  # the highest risk is not known
    elif undone is not None and undone.value["maximum"] > found["maximum"][0].value:
        found["maximum"] = (replace(undone, value=undone.value["maximum"]), False)
    promised = of.figures.get("k-of-tables")
    if promised is not None:
        k = promised.value[0]
        found["maximum"] = (
            CertifiedFigure(
                "k-of-tables", promised.file, promised.field, 1.0 / k, promised.checked
            ),
            True,
        )
    return found


def _with_named(
    risks: Mapping[str, tuple[CertifiedFigure, bool]], named: float
) -> Iterator[tuple[str, CertifiedFigure]]:
    for measure, (figure, bound) in risks.items():
        name = f"threshold-{measure}"
        yield name, _against(name, figure, named, bound=bound)


def _against(
    name: str, figure: CertifiedFigure, threshold: float, *, bound: bool
) -> CertifiedFigure:
    value = {
        "risk": figure.value,
        "threshold": threshold,
        "under": figure.value <= threshold,
        "rounds": rounds_to(figure.value, threshold),
        "bound": bound,
    }
    return CertifiedFigure(name, figure.file, figure.field, value, figure.checked)
