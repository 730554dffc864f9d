"""The policies with no admissible one below them, for searches that look for nothing else.

Where "suppresses at most the limit" passes up and "suppresses more" passes down, a few policies
split the lattice in two: the minimal admissible ones. OLA and Incognito search for nothing else.

When nothing may be suppressed, a policy loses what its floor says, no policy above it less, and
the best of the minimal ones is the best of all. Where suppression is allowed, a policy above may
be better. The floors of the minimal policies still bound every admissible one.
"""

from __future__ import annotations

from math import inf

from roadstead.policies.full_domain import Levels
from roadstead.search.antichain import inherited_up
from roadstead.search.ledger import Ledger, Look
from roadstead.search.protocol import Problem
from roadstead.search.tags import HOPELESS, SUFFICES, Tags, too_many


def refusal(problem: Problem) -> str | None:
    """Why admissibility does not pass up, or the lattice is too large; None where all is well."""
    model = problem.privacy
    if model.monotone_part is not model and not (problem.limit == 0 and model.merges):
        when = " when records may be suppressed" if model.merges else ""
        return (
            "it takes every policy above an admissible one to be admissible, which this privacy "
            f"model does not ensure{when}"
        )
    return too_many(problem.space)


class Admissibility:
    """What is known of which policies are admissible."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.tags = Tags(ledger.problem.space)
        self._minimal = inherited_up()
        self._looks: dict[Levels, Look] = {}

    def examine(self, levels: Levels) -> bool:
        """Say whether a policy is admissible, by a look unless that is known."""
        if marks := self.tags[levels]:
            self.ledger.hits += 1
            return marks == SUFFICES
        look = self.ledger.look(levels)
        if look.candidate is None:
            self.tags.mark_down(levels, HOPELESS)
            return False
        self.tags.mark_up(levels, SUFFICES)
        self._minimal.add(levels)
        self._looks[levels] = look
        return True

    def settle(self) -> bool:
        """When all is known: bound every admissible policy, and say whether the best is proven."""
        minimal = [self._looks[levels] for levels in self._minimal]
        least = min((look.floor for look in minimal), default=inf)
        self.ledger.bound = lambda: least
        return all(self.ledger.insufficient(look) for look in minimal)
