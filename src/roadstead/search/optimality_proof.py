"""A proof that a policy is the best in its lattice, for an independent checker.

The proof is a tree of sublattices. It begins with the whole lattice, and with all records in one
class. Each step concerns a sublattice [a, b], and uses the last evaluation of b or of a policy
above b:

- ``"evaluate"``: evaluate b. The sublattice is then bounded by b.
- ``"suppressed"``: every policy from a to b suppresses more than the limit.
- ``"loss"``: the bound shows that no policy from a to b loses less than the best policy.
- ``(i, l)``: split on attribute i. [a, b with level l - 1] is next, and [a with level l, b] waits.
- ``(i, l, "loss")``: the same split, but the bound already closes [a with level l, b].

If the privacy model is not monotone, an evaluation of b limits what b and the policies below b can
release. If a and b are the same policy, the step uses this policy's own suppressed records and
loss.

A checker repeats the steps in this order (`docs/methods/checking-optimality.md`). The best policy
is known before the proof begins, so this tree is smaller than the tree of the search. Whole numbers
decide which sublattices are closed. Floating-point bounds only choose the splits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm, prod
from typing import Any, TypeAlias

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.kernels import splits
from roadstead.policies.classes import keep, refine
from roadstead.policies.full_domain import Levels, with_level
from roadstead.quality.aggregates import Aggregate, ArithmeticMean, GeometricMean
from roadstead.search.evaluation import FullDomainProblem, by_itself, released_of
from roadstead.search.evaluator import Evaluation
from roadstead.search.protocol import Candidate
from roadstead.search.sublattices import Gains, SublatticeStep

UNIT = 10**10
"""The losses of attributes are expressed in multiples of 1 / `UNIT`."""
_MOST_WEIGHT = 1_000
"""The largest sum of integer weights, which are exponents of numbers with eleven digits."""

Step: TypeAlias = str | tuple[int, int] | tuple[int, int, str]


@dataclass(frozen=True)
class OptimalityProof:
    """The steps of a proof, the number of evaluations, and the mean that combines losses."""

    steps: tuple[Step, ...]
    evaluated: int
    mean: ExactMean


@dataclass(frozen=True)
class _Open:
    """A sublattice, and an evaluation of its upper end or of a policy above its upper end."""

    lower: Levels
    upper: Levels
    known: Evaluation
    split: tuple[int, int, float] | None = None  # the split of this half, and its bound


def prove(
    problem: FullDomainProblem,
    mean: ExactMean,
    best: Candidate[Levels],
    stopped: Callable[[], bool] = lambda: False,
) -> OptimalityProof | None:
    """Prove that no allowed policy loses less than the best policy, or return None if stopped.

    The problem must have Iyengar's loss under the mean. If another policy loses less, but the
    difference is too small for the search to see, a `SettingError` is raised.
    """
    return _Prover(problem, mean, best, stopped).run()


@dataclass(frozen=True)
class ExactMean:
    """A mean of losses as a whole number, which orders policies in the same way as the mean."""

    weights: tuple[int, ...]
    geometric: bool

    @classmethod
    def of(cls, aggregate: Aggregate, attributes: int) -> ExactMean:
        """Convert weights to whole numbers; `aggregate` must be a mean."""
        if not isinstance(aggregate, GeometricMean | ArithmeticMean):
            raise SettingError(
                "optimality can be proven only if the loss is a mean",
                where=option("aggregate"),
                fix=f"use {option('aggregate', 'geometric')}, or leave {option('proof')} out",
            )
        parts = [Fraction(str(w)) for w in aggregate.weights or (1,) * attributes]
        whole = [int(part * lcm(*(one.denominator for one in parts))) for part in parts]
        geometric = isinstance(aggregate, GeometricMean)
        if geometric and sum(whole) > _MOST_WEIGHT:
            raise SettingError(
                "these weights have too many digits for a proof",
                where=option("weights"),
                fix=f"use whole numbers that add up to at most {_MOST_WEIGHT}",
            )
        return cls(tuple(whole), geometric)

    def __call__(self, losses: Sequence[int]) -> int:
        """Combine the losses of the attributes, given in units."""
        pairs = zip(self.weights, losses, strict=True)
        if self.geometric:
            return prod((UNIT + loss) ** weight for weight, loss in pairs)
        return sum(weight * loss for weight, loss in pairs)


class _Prover:
    def __init__(
        self,
        problem: FullDomainProblem,
        mean: ExactMean,
        best: Candidate[Levels],
        stopped: Callable[[], bool],
    ) -> None:
        self.problem, self.mean, self.stopped = problem, mean, stopped
        self.gains = Gains(problem.heights)
        self.step = SublatticeStep(problem, self.gains, best)
        self.steps: list[Step] = []
        self.evaluated = 0
        self.best = best
        whole = below(problem, best.policy, problem.start())
        self.loss = self.mean(losses_of(problem, whole))

    def run(self) -> OptimalityProof | None:
        """Close the sublattices one by one, the deepest first, until all are closed."""
        space = self.problem.space
        waiting = [_Open(space.bottom, space.top, self.problem.start(), None)]
        fresh = True
        while waiting:
            if self.stopped():
                return None
            node = waiting.pop()
            left = self.tighten(node, fresh=fresh or node.split is not None)
            fresh = False
            if node.split is not None:
                attribute, level, bound = node.split
                half = inf if left is None else self.step.bound(left.lower, left.known)
                self.gains.learn(attribute, level, self.step.gain(bound, half))
            if left is not None:
                waiting += self.halves(left)
        return OptimalityProof(tuple(self.steps), self.evaluated, self.mean)

    def tighten(self, node: _Open, *, fresh: bool) -> _Open | None:
        """Evaluate and lower the upper end while bounds close splits; return None if closed."""
        lower, upper, known = node.lower, node.upper, node.known
        while True:
            if fresh:
                self.steps.append("evaluate")
                self.evaluated += 1
                known = below(self.problem, upper, known)
            if lower == known.levels:
                self.steps.append(self.closed(known))
                return None
            if known.suppressed > self.problem.limit:
                self.steps.append("suppressed")
                return None
            if self.bound(lower, known) >= self.loss:
                self.steps.append("loss")
                return None
            lowered = self.lowered(lower, upper, known)
            if lowered == upper:
                return _Open(lower, upper, known)
            upper, fresh = lowered, True

    def closed(self, known: Evaluation) -> Step:
        """Close a sublattice of one evaluated policy, based on the policy's own figures."""
        if known.candidate is None:
            return "suppressed"
        if self.mean(losses_of(self.problem, known)) >= self.loss:
            return "loss"
        raise _closer(known.levels)

    def lowered(self, lower: Levels, upper: Levels, known: Evaluation) -> Levels:
        """Split off the halves that the bound closes, and return the remaining upper end."""
        for i, low in enumerate(lower):
            for level in range(low + 1, upper[i] + 1):
                if self.bound(with_level(lower, i, level), known) >= self.loss:
                    self.steps.append((i, level, "loss"))
                    upper = with_level(upper, i, level - 1)
                    break
        return upper

    def halves(self, node: _Open) -> tuple[_Open, _Open]:
        """Split where both halves are expected to gain; the half returned last is next."""
        lower, upper, known = node.lower, node.upper, node.known
        bound = self.step.bound(lower, known)
        raised = self.step.raised(lower, known)
        i, level = splits.choose(raised, self.gains.means, bound, self.best.loss)
        self.steps.append((i, level))
        first = _Open(lower, with_level(upper, i, level - 1), known, (i, level, bound))
        return _Open(with_level(lower, i, level), upper, known), first

    def bound(self, lower: Levels, known: Evaluation) -> int:
        """Return a bound for the policies from `lower` to the evaluated policy."""
        return self.mean(units(lower, known.least))


def below(problem: FullDomainProblem, levels: Levels, general: Evaluation) -> Evaluation:
    """Evaluate a policy from a more general policy, and find a bound for policies below.

    The kept classes contain the records that the policy or a policy below it can release. All other
    records of the table are suppressed by these policies. This bound is weaker than the bound of
    the search, which also uses the most specific policy of a sublattice. A checker can compute the
    weaker bound class by class.
    """
    model, bounds = problem.privacy, problem.release_bounds
    if model.monotone_part is model:
        return problem.evaluate(levels, general, levels)
    classes = refine(problem.encoding, general.kept, general.levels, levels)
    found = by_itself(problem, levels, classes, general.tally)
    if found.suppressed > problem.limit:
        return found
    failing = ~model.satisfied(found.kept)
    most = bounds.below(found.kept, failing, problem.encoding.counts).of_each
    most[most < bounds.least] = 0
    kept, dropped = keep(found.kept, most > 0)
    tally = problem.quality.suppress(found.tally, dropped)
    suppressed = problem.encoding.records - int(most.sum())
    return Evaluation(levels, kept, suppressed, tally, found.candidate)


def losses_of(problem: FullDomainProblem, known: Evaluation) -> list[int]:
    """Return each attribute's loss, in units, if an evaluated policy is released."""
    return units(known.levels, released_of(problem, known)[1])


def units(levels: Levels, tally: Any) -> list[int]:  # noqa: ANN401 - the quality model defines the type
    """Return the losses of the attributes in units; the tally contains decimal fractions."""
    return [round(own[at] * UNIT) for own, at in zip(tally.losses, levels, strict=True)]


def _closer(levels: Levels) -> SettingError:
    return SettingError(
        f"the policy with levels {', '.join(map(str, levels))} loses less than the best policy, "
        "but rounding hides the difference, so a proof cannot be written",
        where=option("proof"),
        fix="leave the proof out, or use the arithmetic mean",
    )
