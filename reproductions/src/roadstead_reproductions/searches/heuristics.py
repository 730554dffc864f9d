"""Searches for a good policy without a proof: two greedy searches and a genetic search.

*Datafly* (Sweeney 1997) raises the attribute with the most distinct values, until a policy is
admissible. *IGreedy* (Babu, Reddy, Kumar, Elliot, and Jena 2013; the heuristic in paper 003)
chooses the direct generalization whose smallest class is largest. In a tie, the search raises the
attribute with the most distinct values.

*Genetic search* is for lattices that are too large for other searches. A child takes each level
from one of two parents, and some levels change at random. Each parent is the best of a few randomly
drawn policies. The best parents and children form the next generation: admissible policies by loss,
and then other policies by suppression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.full_domain import FullDomain, Levels, with_level
from roadstead.search.evaluation import FullDomainProblem
from roadstead_reproductions.searches.ledger import Ledger, Look, WalkSearch


def datafly() -> WalkSearch:
    """Return the search that climbs by the number of distinct values."""
    guarantee = "an admissible policy, at once; the distance from the best is not known"
    return WalkSearch("datafly", guarantee, lambda ledger: _climb(ledger, _by_values))


def igreedy() -> WalkSearch:
    """Return the search that climbs by the size of the smallest class."""
    guarantee = "an admissible policy, quickly; the distance from the best is not known"
    return WalkSearch("igreedy", guarantee, lambda ledger: _climb(ledger, _by_smallest_class))


def _climb(ledger: Ledger, choose: Callable[[Ledger, list[Step]], Look]) -> bool:
    current = ledger.look(ledger.problem.space.bottom)
    while current.candidate is None:
        steps = _steps(ledger.problem, current.levels)
        if not steps:
            return ledger.hopeless(current)
        current = choose(ledger, steps)
    return ledger.settled()


def _by_values(ledger: Ledger, steps: list[Step]) -> Look:
    return ledger.look(max(steps, key=lambda step: step[:2])[2])


def _by_smallest_class(ledger: Ledger, steps: list[Step]) -> Look:
    looks = [(ledger.look(levels), shown, place) for shown, place, levels in steps]
    return max(looks, key=lambda entry: (entry[0].smallest, *entry[1:]))[0]


def _steps(problem: FullDomainProblem, levels: Levels) -> list[Step]:
    """Return the policies one level up, with the number of distinct values of each attribute."""
    return [
        (problem.encoding.labels[i][level], -i, with_level(levels, i, level + 1))
        for i, (level, highest) in enumerate(zip(levels, problem.space.top, strict=True))
        if level < highest
    ]


_POPULATION = 40
_NEWCOMERS = 4
"""The number of children without parents in each generation, to keep variety."""
_RIVALS = 3
"""The number of drawn policies, the best of which becomes a parent."""
_JUMP = 0.2
"""The share of changed levels that change to an arbitrary level instead of a neighboring one."""
_PATIENCE = 25
"""The number of generations without a better policy before the search ends."""
_ATTEMPTS = 20
"""The number of attempts to create a child that is not known yet."""

Step: TypeAlias = tuple[int, int, Levels]
"""The number of distinct values of the raised attribute, its negated place, and the policy."""
Fitness: TypeAlias = tuple[bool, float, Levels]


def genetic(seed: int = 0) -> WalkSearch:
    """Return the search that selects, crosses, and mutates policies."""
    guarantee = "good policies of lattices of any size; the distance from the best is not known"
    return WalkSearch("genetic", guarantee, lambda ledger: _walk(ledger, seed))


def _walk(ledger: Ledger, seed: int) -> bool:
    space = ledger.problem.space
    chance = np.random.default_rng(seed)
    top = ledger.look(space.top)
    if ledger.hopeless(top):
        return True
    known = {space.top}
    population = [top]
    patience = _PATIENCE
    founders = [_anywhere(space, chance, share) for share in np.linspace(0.0, 1.0, _POPULATION - 2)]
    children = [one for one in dict.fromkeys([space.bottom, *founders]) if one not in known]
    while children and patience:
        before = ledger.best
        known.update(children)
        population += [ledger.look(levels) for levels in children]
        population = sorted(population, key=_fitness)[:_POPULATION]
        ledger.open = len(population)
        patience = patience - 1 if ledger.best == before else _PATIENCE
        children = _offspring(space, population, known, chance)
    return ledger.looks == space.size or ledger.settled()


def _fitness(look: Look) -> Fitness:
    """Return the sort key of a policy. A policy with a smaller key is fitter."""
    if look.candidate is None:
        return True, float(look.suppressed), look.levels
    return False, look.candidate.loss, look.levels


def _anywhere(space: FullDomain, chance: np.random.Generator, share: float) -> Levels:
    """Draw a policy at about this share of the height of each hierarchy."""
    bottom, top = np.array(space.bottom), np.array(space.top)
    return _policy(bottom + chance.binomial(top - bottom, share))


def _policy(levels: NDArray[np.int_]) -> Levels:
    return tuple(int(level) for level in levels)


def _offspring(
    space: FullDomain, population: list[Look], known: set[Levels], chance: np.random.Generator
) -> list[Levels]:
    """Create the children of a generation. All children are new policies."""
    children: dict[Levels, None] = {}
    for number in range(_POPULATION):
        for _ in range(_ATTEMPTS):
            if number < _NEWCOMERS:
                child = _anywhere(space, chance, chance.random())
            else:
                mother, father = _parent(population, chance), _parent(population, chance)
                child = _mutated(space, _mixed(mother, father, chance), chance)
            if child not in known and child not in children:
                children[child] = None
                break
    return list(children)


def _parent(population: list[Look], chance: np.random.Generator) -> Levels:
    """Draw a few policies, and return the fittest. The population is in order of fitness."""
    fittest = int(chance.integers(len(population), size=_RIVALS).min())
    return population[fittest].levels


def _mixed(mother: Levels, father: Levels, chance: np.random.Generator) -> Levels:
    """Take each level from one of two parents."""
    return _policy(np.where(chance.integers(2, size=len(mother)), mother, father))


def _mutated(space: FullDomain, levels: Levels, chance: np.random.Generator) -> Levels:
    """Change about one level, usually by one."""
    number = len(levels)
    changed = chance.random(number) < 1.0 / number
    jumping = chance.random(number) < _JUMP
    stepped = np.array(levels) + chance.choice([-1, 1], size=number)
    anywhere = chance.integers(space.bottom, np.array(space.top) + 1)
    moved = np.where(jumping, anywhere, np.clip(stepped, space.bottom, space.top))
    return _policy(np.where(changed, moved, levels))
