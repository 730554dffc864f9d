"""Return the worst risks of a release, which the gate judges: for each figure, the worst group.

The certificate states the risk of the records with values, of the masked records, and of the groups
whose generalization a column undoes. A rule about the risk must cover all released records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.release.facts import Fact, Unknown
from roadstead.release.verification.checks import counted

if TYPE_CHECKING:
    from roadstead.release.certificate import Certificate, MeasuredRisk


def highest_risk(risk: MeasuredRisk) -> Fact[float]:
    """Return the highest risk of any released record or person."""
    undone = risk.if_undone
    if undone is not None and undone.at_least:
        return Unknown(
            f"{undone.clause}, and the risk from an attacker who knows several rows of a person "
            "was not measured"
        )
    return risk.highest


def average_risk(certificate: Certificate) -> Fact[float]:
    """Return the average risk, with or without the masked records, whichever is higher."""
    risk, released = certificate.risk, certificate.counts.released
    if risk.if_undone is not None:
        return Unknown(
            f"{risk.if_undone.clause}, and the average risk from an attacker who uses this was not "
            "measured"
        )
    every = (risk.classes + 1) / released if risk.masked and released else 0.0
    return max(risk.average, every)


def risks_in_words(certificate: Certificate) -> dict[str, str]:
    """For each figure that is worse than that of the records with values, say where it is from."""
    risk, undone, found = certificate.risk, certificate.risk.if_undone, {}
    star = f"{counted(risk.masked, 'record')} with *"
    if risk.smallest_group != risk.smallest_class:
        found["smallest_class"] = found["highest_risk"] = f"the {star}"
    if average_risk(certificate) != risk.average:
        found["average_risk"] = f"including {star}"
    if undone is not None and undone.maximum == risk.highest:
        found["highest_risk"] = f"according to the certificate, {undone.clause}"
    facts = {"highest_risk": highest_risk(risk), "average_risk": average_risk(certificate)}
    return {key: said for key, said in found.items() if not isinstance(facts.get(key), Unknown)}
