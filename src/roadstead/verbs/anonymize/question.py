"""What is asked of a search, and what it answers, whatever kind of policy it looks for.

Some searches choose a level of each hierarchy (`full_domains`), others cut ordered domains
(`partitions`). Each kind has a *finder*, which refuses what its searches cannot do before the
table is read, and turns what they found into the rules of a policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.document import AttributePolicy
from roadstead.policies.full_domain import Levels
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.loss import Loss
from roadstead.quality.protocol import QualityModel
from roadstead.search.evaluation import FullDomainProblem, loss_by_attribute
from roadstead.search.protocol import Control, Outcome
from roadstead.tables.frequency import FrequencyTable


class Space(Protocol):
    """A lattice of policies."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        ...

    @property
    def bottom(self) -> Levels:
        """Most specific level of each that is allowed."""
        ...

    @property
    def top(self) -> Levels:
        """Most general level of each that is allowed."""
        ...

    @property
    def size(self) -> int:
        """Number of policies."""
        ...


class Searched(Protocol):
    """What was searched."""

    @property
    def space(self) -> Space:
        """The policies."""
        ...

    @property
    def limit(self) -> int:
        """Most records that may be suppressed."""
        ...


class Strategy(Protocol):
    """How it was searched."""

    @property
    def name(self) -> str:
        """The name used on the command line."""
        ...

    @property
    def guarantee(self) -> str:
        """What it promises, in words."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What may be said of a policy before the table is known.

    Attributes
    ----------
    quality
        The loss to be minimized.
    privacy
        Models that must hold, beside k-anonymity.
    min_level, max_level
        Lowest and highest level allowed, by attribute.
    """

    quality: QualityModel
    privacy: tuple[PrivacyModel, ...] = ()
    min_level: Mapping[str, int] = field(default_factory=dict)
    max_level: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """The policy that loses least is wanted.

    Attributes
    ----------
    wanted
        What was asked for.
    table, hierarchies
        The table, and a hierarchy for each of its attributes.
    models
        All models that must hold.
    limit
        Most records that may be suppressed.
    """

    wanted: Wanted
    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    models: tuple[PrivacyModel, ...]
    limit: int

    @property
    def promise(self) -> str:
        """Names of the models."""
        return " and ".join(model.name for model in self.models)


@dataclass(frozen=True)
class Answer:
    """The best policy found.

    Attributes
    ----------
    problem, outcome, search
        What was searched, what was found, and how.
    attributes
        What the policy does to each quasi-identifier.
    loss_by_attribute
        Loss of each quasi-identifier, 0 to 1.
    origins
        For each attribute, where its levels or its order come from, if the search chose that.
    """

    problem: Searched
    outcome: Outcome[Levels]
    search: Strategy
    attributes: tuple[AttributePolicy, ...]
    loss_by_attribute: dict[str, float]
    origins: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Solved:
    """What is known of a table after the search.

    Attributes
    ----------
    table
        The frequency table; where it was too large, of the classes of the best policy.
    models
        All models that must hold.
    origins
        For each quasi-identifier, where its hierarchy came from.
    answer
        The best policy.
    """

    table: FrequencyTable
    models: tuple[PrivacyModel, ...]
    origins: dict[str, str]
    answer: Answer


class Finder(Protocol):
    """Finds policies of one kind."""

    def check(self, wanted: Wanted) -> None:
        """Refuse what the search cannot do.

        Raises
        ------
        SettingError
            Names the option, and what would do.
        """
        ...

    def find(self, question: Question, control: Control) -> Answer:
        """Search.

        Raises
        ------
        NoPolicyError
            When no policy was found.
        """
        ...


def losses(problem: FullDomainProblem, levels: Levels) -> dict[str, float]:
    """Loss of each attribute; Iyengar's where the quality model speaks of classes only."""
    found = loss_by_attribute(problem, levels)
    if found is None:
        told = replace(problem, quality=Loss().bind(problem.encoding))
        found = loss_by_attribute(told, levels) or []
    return dict(zip(problem.encoding.attributes, found, strict=True))


def ended_early(outcome: Outcome[Levels], promise: str) -> str:
    """Say that a search was ended before it had a policy."""
    return f"the search was ended ({outcome.ending}) before it met a policy with {promise}"
