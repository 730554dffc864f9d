"""Provide the text that the outputs of every kind of private release share.

The text is used in the terminal, in JSON, and on pages. The text also explains what the budget
means for one unit, that is, how sure an attacker can become about this unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any, NamedTuple, Protocol

from roadstead import __version__
from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain
from roadstead.release.facts import amount
from roadstead.release.private import guarantee
from roadstead.release.private.cut import names_of
from roadstead.release.private.publish import PrivateDraft
from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.charts.svg import picture
from roadstead.reports.environment import template
from roadstead.reports.numbers import percent
from roadstead.reports.sources import PRIVATE
from roadstead.reports.wording import CountedUnit, counted, listed

PRIORS = (0.01, 0.1, 0.5, 0.9)
SEVERAL = (2, 5, 20)
"""The numbers of records per person for which a page explains the guarantee."""
_CERTAIN = 1 - 1e-4
NEARLY_CERTAIN = ">99.99%"
"""The text for a belief above this limit. A belief is never completely certain."""
_DECLARED = "declared"


class PublicInput(NamedTuple):
    """A public input: an attribute, its possible values, and the source of these values."""

    attribute: str
    holds: str
    origin: str


def public_input(domain: Domain, origin: str) -> PublicInput:
    """Describe the values in a domain, and their source."""
    match domain:
        case NumericDomain():
            holds = f"numbers from {domain.low} to {domain.high} in steps of {domain.step}"
        case CategoricalDomain():
            holds = counted(domain.size, "value")
        case _:
            holds = f"sets of {counted(domain.taxonomy.size, 'item')}"
    declared = origin.startswith(f"{_DECLARED}:")
    return PublicInput(domain.attribute, holds, _DECLARED if declared else origin)


class PrivateFacts(PrivateDraft, Protocol):
    """A private release with its text, before it is written."""

    @property
    def origins(self) -> Mapping[str, str]:
        """The source of the domain of each attribute."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks that the user should consider."""

    @property
    def guarantee(self) -> str:
        """The guarantee, in a sentence."""

    @property
    def counted(self) -> CountedUnit:
        """The counted unit: records or people."""

    @property
    def records(self) -> int:
        """The number of released records."""


@dataclass(frozen=True, eq=False)
class PromiseInWords:
    """Text and figures that are computed only from a draft, for each kind of release."""

    origins: Mapping[str, str]  # the source of the domain of each attribute
    notes: tuple[str, ...] = ()  # what the user should consider

    @property
    def guarantee(self: PrivateFacts) -> str:
        """The guarantee, in a sentence."""
        return guarantee.guarantee(self.epsilon, self.unit, self.settings)

    @property
    def counted(self: PrivateFacts) -> CountedUnit:
        """The counted unit: records or people. This does not depend on the private table."""
        return CountedUnit(self.settings.get("person"))

    @property
    def records(self: PrivateFacts) -> int:
        """The number of released records."""
        return self.listed.records

    @property
    def public(self: PrivateFacts) -> tuple[PublicInput, ...]:
        """The declared domains, and the classes."""
        found = [public_input(cut.domain, self.origins[cut.attribute]) for cut in self.cuts]
        if self.target is not None:
            found.append(PublicInput(self.target, listed(self.classes), _DECLARED))
        return tuple(found)


def document_of(facts: PrivateFacts, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts as JSON. `own` contains the facts that only this kind of release has."""
    return {
        "source": facts.source,
        "guarantee": facts.guarantee,
        "epsilon": float(facts.epsilon),
        "unit": facts.unit.words,
        "protects": facts.unit.protects,
        "rows_per_person": facts.unit.rows,
        "counted": facts.counted.to_dict(),
        "target": facts.target,
        "classes": list(facts.classes),
        "ledger": [{"step": one.step.words, "epsilon": float(one.epsilon)} for one in facts.ledger],
        "cut": {cut.attribute: list(names_of(cut)) for cut in facts.cuts},
        "told": [cut.attribute for cut in facts.cuts if cut.is_specialized],
        **own,
        "records": facts.records,
        "settings": dict(facts.settings),
        "notes": list(facts.notes),
    }


def shares_of(epsilon: Fraction, parts: Mapping[str, Fraction]) -> ShareChart:
    """Return the share of the budget for each kind of step."""
    largest = max(parts, key=lambda one: parts[one])
    share = percent(float(parts[largest] / epsilon))
    return ShareChart(
        "budget",
        "Bar chart of the privacy budget by purpose",
        f"The largest share of the budget is {share}, for {largest}. The figures are in "
        "the table below.",
        "step",
        "share of the budget",
        tuple(ShareBar(words, float(part / epsilon)) for words, part in parts.items()),
    )


def page_of(
    name: str,
    facts: PrivateFacts,
    created: str,
    budget: ShareChart,
    **own: Any,  # noqa: ANN401 - what a template shows
) -> str:
    """Return an HTML page from a template. The page must be written as UTF-8."""
    epsilon = facts.epsilon
    return template(name).render(
        facts=facts,
        unit=facts.unit.noun,
        created=created,
        version=__version__,
        words=guarantee.words(
            epsilon, facts.unit, [one.step for one in facts.ledger], facts.settings
        ),
        epsilon=amount(epsilon),
        factor=guarantee.factor(epsilon),
        budget=budget,
        picture=picture(budget),
        beliefs=[belief(epsilon, prior) for prior in PRIORS],
        even=belief(epsilon, 0.5),
        several=[]
        if facts.unit.persons
        else [(number, belief(number * epsilon, 0.5).present) for number in SEVERAL],
        notes=facts.notes,
        sources=PRIVATE,
        **own,
    )


class Belief(NamedTuple):
    """An attacker's belief that a unit is present, and the belief in one of two possible values.

    For each belief, there is the value before the release, and the largest possible value after it.
    """

    before: str
    present: str
    value: str


def belief(epsilon: Fraction, prior: float) -> Belief:
    """Return how sure an attacker who knows all other units can become about one unit.

    The odds that the table contains the unit change by a factor of at most ``e**epsilon``. The odds
    between two values of the unit change by at most the square of this factor, because one unit is
    removed and another is added.
    """
    rate = float(epsilon)
    return Belief(percent(prior), _posterior(rate, prior), _posterior(2 * rate, prior))


def _posterior(rate: float, prior: float) -> str:
    """Return the largest belief after the release, rounded up, but never to 100%."""
    share = 1 / (1 + exp(-rate) * (1 - prior) / prior)
    return NEARLY_CERTAIN if share > _CERTAIN else percent(share, bound="upper")
