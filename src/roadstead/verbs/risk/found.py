"""What an assessment found: how likely records are re-identified, and what makes it so.

A table is assessed as it is and, where a policy is given, as the policy would release it. All
figures are counts and shares of records; what is told of columns is their names.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from roadstead.risk.below_k import BelowK
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.verbs.risk.advice import Advice, Answers, Circumstances, advise

Basis: TypeAlias = Literal["file", "fraction"]
"""How the population is known: person by person, or by its size alone."""


@dataclass(frozen=True)
class Chances:
    """What a journalist can expect.

    Attributes
    ----------
    maximum
        Risk of the record most at risk.
    average
        Mean over the records, which is the share of them that a marketer matches rightly.
    share_above_threshold
        Share of records whose risk is above the threshold.
    estimated
        Whether they are expectations, as the population is known by its size alone.
    uniques
        Records whose person is alone in the population; None where they are.
    """

    maximum: float
    average: float
    share_above_threshold: float
    estimated: bool
    uniques: int | None = None


@dataclass(frozen=True)
class Uniques:
    """How many people are unique in the population.

    Attributes
    ----------
    model
        ``pitman``, ``pitman-exact``, ``zayatz``, ``snb`` or ``dankar``; ``counted`` where the
        population is known.
    uniques, share
        Their expected number, and as a share of the population; None where the model has no answer.
    takes
        For Dankar's rule, the model that it takes.
    reason
        Why there is no answer.
    """

    model: str
    uniques: float | None
    share: float | None
    takes: str | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give the estimate as JSON holds it."""
        found: dict[str, Any] = {"uniques": self.uniques, "share": self.share}
        if self.takes is not None:
            found["takes"] = self.takes
        return found | {"reason": self.reason} if self.reason else found


@dataclass(frozen=True)
class Contribution:
    """What a quasi-identifier contributes to records being unique.

    Attributes
    ----------
    attribute
        The column.
    contribution
        Share of the SUDA scores of all records that comes from combinations with the column. These
        shares add up to more than 1, as most combinations have several columns.
    keys
        Minimal sample uniques that it is part of: smallest combinations that single a record out.
    separation
        Share of all pairs of records that it tells apart by itself.
    uniques_without
        Records that would be unique if nobody knew it.
    """

    attribute: str
    contribution: float
    keys: int
    separation: float
    uniques_without: int


@dataclass(frozen=True)
class Combination:
    """A combination of quasi-identifiers that singles records out, where no part of it does.

    Attributes
    ----------
    attributes
        The columns.
    records
        Records that it singles out.
    contribution
        Share of the SUDA scores of all records.
    """

    attributes: tuple[str, ...]
    records: int
    contribution: float


@dataclass(frozen=True)
class Assessment:
    """The risks of one table.

    Attributes
    ----------
    prosecutor
        Risk where the attacker knows that the person is in the table.
    journalist
        Risk where the attacker takes anybody of the population; None where that is not known.
    marketer
        Share of records matched rightly, if all are matched with the people of the table.
    below_k
        Records with fewer than k people of the population behind them; None where that is not
        known.
    sizes
        Pairs of class size and number of classes of that size, ascending.
    suppressed
        Records that are not among them, as a policy suppresses them.
    population_uniques
        By model; empty where the population is not known.
    contributions
        By attribute, the one that contributes most first.
    combinations
        Those that contribute most, at most ten.
    """

    prosecutor: ProsecutorRisk
    journalist: Chances | None
    marketer: float
    sizes: tuple[tuple[int, int], ...]
    suppressed: int
    population_uniques: tuple[Uniques, ...]
    contributions: tuple[Contribution, ...]
    combinations: tuple[Combination, ...]
    below_k: BelowK | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the risks as JSON holds them."""
        found: dict[str, Any] = {"prosecutor": _levels(self.prosecutor)}
        if self.journalist is not None:
            found["journalist"] = {
                **_levels(self.journalist),
                "estimated": self.journalist.estimated,
                "population_unique_records": self.journalist.uniques,
            }
        people = self.journalist
        return {
            **found,
            "marketer": {
                "sample": self.marketer,
                "population": None if people is None else people.average,
            },
            "expected_below_k": None if self.below_k is None else self.below_k.to_dict(),
            "classes": self.prosecutor.classes,
            "class_sizes": [{"size": size, "classes": number} for size, number in self.sizes],
            "smallest_class": self.prosecutor.smallest,
            "largest_class": self.prosecutor.largest,
            "sample_uniques": self.prosecutor.uniques,
            "suppressed": self.suppressed,
            "population_uniques": {one.model: one.to_dict() for one in self.population_uniques},
            "contributions": [asdict(one) for one in self.contributions],
            "combinations": [
                asdict(one) | {"attributes": list(one.attributes)} for one in self.combinations
            ],
        }


@dataclass(frozen=True)
class Population:
    """What is known of the population.

    Attributes
    ----------
    basis
        How it is known; None where nothing is.
    label
        The same in words.
    people, fraction
        How many there are, and the share of them that is in the table.
    """

    basis: Basis | None
    label: str
    people: int | None = None
    fraction: float | None = None


@dataclass(frozen=True)
class FoundRisk:
    """An assessment of a table, before a policy and after it.

    Attributes
    ----------
    source
        What the table is called.
    records
        Its records.
    quasi
        The quasi-identifiers.
    threshold
        The risk that is still acceptable for a record.
    population
        Against whom journalist risk is measured.
    before, after
        The risks; no `after` without a policy.
    policy
        What the policy is called.
    notes
        What the user should know.
    seconds
        Time of the whole work, reading included.
    """

    source: str
    records: int
    quasi: tuple[str, ...]
    threshold: float
    population: Population
    before: Assessment
    after: Assessment | None
    policy: str | None
    notes: tuple[str, ...]
    seconds: float

    @property
    def prosecutor(self) -> ProsecutorRisk:
        """Prosecutor risk of the table as it is."""
        return self.before.prosecutor

    @property
    def journalist(self) -> Chances | None:
        """Journalist risk of the table as it is, where a population is known."""
        return self.before.journalist

    def advise(
        self,
        *,
        whole_population: bool | None = None,
        membership_known: bool | None = None,
        self_revealing: bool | None = None,
    ) -> Advice:
        """Say which attacker applies, and which privacy model follows.

        Parameters
        ----------
        whole_population
            Whether the table holds its whole population or a large part of it.
        membership_known
            Whether others can find out who is in it.
        self_revealing
            Whether those who are in it tell others.

        Raises
        ------
        SettingError
            When an answer is missing, or the sampling fraction contradicts it.
        """
        return advise(
            Answers(whole_population, membership_known, self_revealing), self.circumstances
        )

    @property
    def circumstances(self) -> Circumstances:
        """What advice goes by, beside the answers."""
        label = self.population.label if self.population.basis == "file" else None
        return Circumstances(self.threshold, self.population.fraction, label)

    def command(self, advice: Advice, request: Sequence[str] = ()) -> str:
        """Write the command that releases the table as advised.

        Parameters
        ----------
        advice
            The advice.
        request
            Arguments that name the table and its columns.
        """
        named = request or ("DATA", "--quasi", ",".join(self.quasi))
        return shlex.join(["roadstead", "anonymize", *named, *advice.options, "--out", "release"])

    def to_dict(self) -> dict[str, Any]:
        """Give what was found as JSON holds it."""
        return {
            "source": self.source,
            "records": self.records,
            "quasi": list(self.quasi),
            "threshold": self.threshold,
            "population": {
                "basis": self.population.basis,
                "people": self.population.people,
                "sampling_fraction": self.population.fraction,
            },
            **self.before.to_dict(),
            "policy": self.policy,
            "after": None if self.after is None else self.after.to_dict(),
            "notes": list(self.notes),
            "seconds": self.seconds,
        }


def _levels(risk: ProsecutorRisk | Chances) -> dict[str, float]:
    return {
        "maximum": risk.maximum,
        "average": risk.average,
        "share_above_threshold": risk.share_above_threshold,
    }
