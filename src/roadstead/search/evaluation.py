"""Evaluate a policy of a lattice.

The evaluation determines the classes of the policy, the suppressed records, and the loss. It starts
from a more general policy that is already evaluated, and splits the classes on the attributes that
became more specific. Rows that the more general policy suppressed are skipped, because under a
monotone model, every more specific policy also suppresses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import (
    Classes,
    inside,
    keep,
    make_contiguous,
    no_class,
    one_class,
    part,
    records_below,
    refine,
)
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.policies.label_bits import KeptAtLevels
from roadstead.privacy.combination import looks_at_labels, with_labels
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.privacy.releasable import Releasable, ReleaseBounds, release_bounds
from roadstead.quality.protocol import (
    BoundQuality,
    Bounds,
    GroupsForBounds,
    LosesSome,
    OfParts,
    SurelyLost,
)
from roadstead.search.evaluator import Evaluation
from roadstead.search.left_out import ClassesLeftOut, LeavingOut, PersonsLeftOut, Remainder
from roadstead.search.protocol import Candidate


@dataclass(frozen=True)
class FullDomainProblem:
    """The problem of finding the best policy under a privacy model and a suppression limit.

    The policy is chosen from a lattice. The privacy model and the quality model are bound to the
    table. `limit` is the largest number of records that may be suppressed. If `persons` contains
    the person IDs and the number of rows that an attacker may know, the limit applies to people
    instead.
    """

    encoding: Encoding
    space: FullDomain
    privacy: BoundPrivacy
    quality: BoundQuality[Any]
    limit: int
    queries: int = 0
    persons: PersonsLeftOut | None = None

    @cached_property
    def leaves_out(self) -> LeavingOut:
        """The rule for suppressing unprotected records or people."""
        return self.persons or ClassesLeftOut(self.encoding.records)

    @cached_property
    def release_bounds(self) -> ReleaseBounds:
        """The privacy model's bounds on releases, or an empty object if people are suppressed."""
        if self.persons is not None:
            return ReleaseBounds((), (), ())
        return release_bounds(self.privacy)

    @cached_property
    def _labels_count(self) -> bool:
        return looks_at_labels(self.privacy)

    def privacy_at(self, levels: Levels) -> BoundPrivacy:
        """Return the privacy model in the form that evaluates the classes of a policy."""
        if not self._labels_count:
            return self.privacy
        return with_labels(self.privacy, KeptAtLevels(self.encoding, levels))

    def release_bounds_from(self, lower: Levels) -> ReleaseBounds:
        """Return the privacy model's bounds on the releases of policies at or above `lower`."""
        if not self._labels_count or not self.release_bounds:
            return self.release_bounds
        return release_bounds(self.privacy_at(lower))

    @cached_property
    def by_size_alone(self) -> bool:
        """Return True if only the sizes of classes matter and every row has records."""
        alone = getattr(self.privacy, "by_size_alone", False) and self.persons is None
        return alone and self.encoding.few is not None and not self.encoding.has_empty_rows

    @cached_property
    def counts_classes(self) -> bool:
        """Return whether bounds use the number of released classes, which is limited by blocks."""
        counts = isinstance(self.quality, GroupsForBounds) and self.quality.counts_classes
        return counts and bool(self.release_bounds.by_class)

    @property
    def heights(self) -> tuple[int, ...]:
        """The number of levels of each hierarchy."""
        return self.encoding.heights

    @property
    def bounds(self) -> Bounds[Any]:
        """The quality model."""
        return self.quality

    @property
    def rows(self) -> int:
        """The number of distinct combinations of values."""
        return int(self.encoding.counts.size)

    def start(self) -> Evaluation:
        """Return the evaluation of the policy that puts all records into one class."""
        return start(self)

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
        """Evaluate a policy by splitting the classes of a more general policy."""
        return evaluate(self, levels, general, lower)

    def part(self, places: Sequence[int]) -> tuple[FullDomainProblem, float] | None:
        """Restrict the problem to some attributes; all other attributes stay at their top level.

        The problem uses the monotone part of the privacy model.
        """
        found = self.quality.part(places) if isinstance(self.quality, OfParts) else None
        if found is None:
            return None
        quality, share = found
        low = zip(self.space.bottom, self.space.top, strict=True)
        bottom = tuple(a if i in places else b for i, (a, b) in enumerate(low))
        space = replace(self.space, bottom=bottom)
        privacy = self.privacy.monotone_part
        return replace(self, space=space, privacy=privacy, quality=quality), share

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Return the quality model's bound computed from parts, or 0 if the model has no parts."""
        return self.quality.whole(known) if isinstance(self.quality, OfParts) else 0.0

    def groups(self, lower: Levels, upper: Evaluation) -> bool:
        """Return whether bounds on policies at or above `lower` require the classes of `lower`."""
        quality = self.quality
        if self.privacy.monotone_part is self.privacy or not isinstance(quality, GroupsForBounds):
            return False
        return quality.groups(lower, upper.levels, upper.least, upper.kept)

    def look_below(
        self, lower: Levels, upper: Evaluation, fine: Classes | None = None
    ) -> tuple[Candidate[Levels] | None, Evaluation, Classes | None] | None:
        """Also evaluate the lower policy if this gives the privacy model more information."""
        return look_below(self, lower, upper, fine)

    def policies(self) -> Iterator[Levels]:
        """Yield every policy in lexicographic order, which is practical only for small lattices."""
        return iter(self.space)

    def judge(self, policy: Levels) -> Candidate[Levels] | None:
        """Evaluate a policy, or return None if it suppresses more records than allowed."""
        return evaluate(self, policy, start(self)).candidate


def start(problem: FullDomainProblem) -> Evaluation:
    """Return the evaluation of the most general policy, which puts all records into one class."""
    top = tuple(h - 1 for h in problem.encoding.heights)
    whole = one_class(problem.encoding)
    whole = make_contiguous(whole) if problem.by_size_alone else whole
    tally = problem.quality.nothing_suppressed()
    return Evaluation(top, whole, 0, tally, None)


def evaluate(
    problem: FullDomainProblem, levels: Levels, general: Evaluation, lower: Levels | None = None
) -> Evaluation:
    """Evaluate a policy, starting from a policy that is at least as general.

    The bounds cover the more specific policies at or above `lower`. Without `lower`, they cover all
    policies down to the bottom of the lattice.
    """
    if problem.by_size_alone and (kept := kept_by_size(problem, levels, general)) is not None:
        return of_kept(problem, levels, kept, general.tally)
    if (missing := surely_missing(problem, levels, general)) > problem.limit:
        return Evaluation(levels, no_class(), missing, general.tally, None)
    classes = refine(problem.encoding, general.kept, general.levels, levels)
    found = judge(problem, levels, classes, general.tally, lower)
    return replace(found, kept=make_contiguous(found.kept)) if problem.by_size_alone else found


def kept_by_size(
    problem: FullDomainProblem, levels: Levels, general: Evaluation
) -> Remainder | int | None:
    """Split classes and keep the large ones, or count the missing records if too many are missing.

    The function returns None if `refine` is cheaper.
    """
    units, before = problem.leaves_out.units, general.kept
    missing = units - before.records
    least: int = getattr(problem.privacy, "least_records", 1)
    changes = general.levels, levels
    found = part(problem.encoding, before, changes, least, problem.limit - missing)
    if found is None or isinstance(found, int):
        return None if found is None else missing + found
    return Remainder(*found, units - found[0].records)


def surely_missing(problem: FullDomainProblem, levels: Levels, general: Evaluation) -> int:
    """Count the records in classes that are too small for the model.

    Counting is much faster than splitting the classes, and is enough to reject most policies that
    suppress too much. If counting would be slower than a lookup, the function returns the number
    that is already known. Some records of the kept classes may already be known to be suppressed.
    These records are not added, because the count may already include them.
    """
    least = getattr(problem.privacy.monotone_part, "least_records", 1)
    few = problem.encoding.few
    if least <= 1 or few is None or problem.persons is not None:
        return general.suppressed
    found = records_below(problem.encoding, general.kept, general.levels, levels, least)
    left_out = problem.leaves_out.units - general.kept.records
    return max(general.suppressed, left_out + found)


def judge(
    problem: FullDomainProblem,
    levels: Levels,
    classes: Classes,
    tally: Any,  # noqa: ANN401 - the quality model defines the type of a tally
    lower: Levels | None = None,
) -> Evaluation:
    """Evaluate a policy from its classes and the tally of rows that are known to be suppressed."""
    found = by_itself(problem, levels, classes, tally)
    if found.suppressed > problem.limit:
        return found
    if problem.privacy.monotone_part is problem.privacy or not problem.release_bounds:
        return found
    failing = np.zeros(found.kept.sizes.size, dtype=np.bool_)
    if problem.release_bounds.by_part:
        failing = ~problem.privacy_at(levels).satisfied(found.kept)
    bounds = problem.release_bounds_from(lower or problem.space.bottom)
    room = bounds.below(found.kept, failing, problem.encoding.counts)
    return bounded(problem, found, room)


def by_itself(
    problem: FullDomainProblem,
    levels: Levels,
    classes: Classes,
    tally: Any,  # noqa: ANN401 - the quality model defines the type of a tally
) -> Evaluation:
    """Evaluate a policy from its classes, and prepare the monotone part for policies below."""
    kept = problem.leaves_out.split(classes, problem.privacy.monotone_part, problem.limit)
    return of_kept(problem, levels, kept, tally)


def of_kept(
    problem: FullDomainProblem,
    levels: Levels,
    kept: Remainder | int,
    tally: Any,  # noqa: ANN401 - the quality model defines the type of a tally
) -> Evaluation:
    """Evaluate a policy from the classes that it keeps, or from the number of missing records."""
    if isinstance(kept, int):
        # No policy below can be admissible, so the classes are not needed.
        return Evaluation(levels, no_class(), kept, tally, None)
    known = problem.quality.suppress(tally, kept.dropped)
    found = Evaluation(levels, kept.classes, kept.missing, known, None)
    released, tally, missing = released_of(problem, found)
    if missing > problem.limit:
        return found
    candidate = Candidate(levels, problem.quality.loss(levels, tally, released), missing)
    return Evaluation(levels, kept.classes, kept.missing, known, candidate)


def bounded(problem: FullDomainProblem, found: Evaluation, room: Releasable) -> Evaluation:
    """Extend an evaluation with limits on what certain more specific policies can release."""
    suppressed = problem.leaves_out.units - room.records
    if suppressed > problem.limit:
        return Evaluation(found.levels, no_class(), suppressed, found.tally, found.candidate)
    known = problem.leaves_out.units - found.kept.records
    of_each = found.kept.sizes - room.of_each
    lost = SurelyLost(room.barred, suppressed - known, of_each, room.classes)
    if not (lost.records or lost.classes is not None):
        return found
    found = replace(found, suppressed=suppressed)
    if not isinstance(problem.quality, LosesSome):
        return found
    return replace(found, surely=problem.quality.lose_some(found.tally, lost, found.kept))


def look_below(
    problem: FullDomainProblem, lower: Levels, upper: Evaluation, fine: Classes | None = None
) -> tuple[Candidate[Levels] | None, Evaluation, Classes | None] | None:
    """Evaluate a lower policy and find bounds for policies in between, or return None."""
    if problem.privacy.monotone_part is problem.privacy:
        return None
    failing = np.zeros(upper.kept.sizes.size, dtype=np.bool_)
    if problem.release_bounds.by_block:
        failing = ~problem.privacy_at(upper.levels).satisfied(upper.kept)
    if not failing.any() and not problem.groups(lower, upper):
        return None
    if fine is None:
        classes = refine(problem.encoding, upper.kept, upper.levels, lower)
    else:
        classes = inside(fine, upper.kept)
    found = upper
    if (room := between(problem, lower, upper, classes, failing)) is not None:
        found = bounded(problem, upper, room)
    if isinstance(problem.quality, GroupsForBounds) and found.suppressed <= problem.limit:
        problem.quality.remember(lower, found.least, upper.kept, classes)
    own = by_itself(problem, lower, classes, upper.tally).candidate if fine is None else None
    # If people are left out, a class may lose some of its rows and thereby change.
    return own, found, classes if problem.persons is None else None


def between(
    problem: FullDomainProblem,
    lower: Levels,
    upper: Evaluation,
    fine: Classes,
    failing: NDArray[np.bool_],
) -> Releasable | None:
    """Find bounds on the releases of policies in between, or return None if nothing is new.

    `fine` contains the classes of the lower policy. `failing` marks the classes for which blocks
    give more information.
    """
    bounds, counts = problem.release_bounds_from(lower), problem.encoding.counts
    if not (failing.any() or problem.counts_classes):
        return None
    blocks, _ = keep(fine, np.ones(fine.sizes.size, dtype=np.bool_))
    if failing.any():
        room = bounds.between(upper.kept, failing, blocks)
    else:
        failing = ~problem.privacy_at(upper.levels).satisfied(upper.kept)
        room = bounds.below(upper.kept, failing, counts)
    return bounds.fewer(room, upper.kept, blocks) if problem.counts_classes else room


def released_of(problem: FullDomainProblem, found: Evaluation) -> tuple[Classes, Any, int]:
    """Return valid classes, the tally of the other rows, and the number of missing records."""
    model = problem.privacy
    if model.monotone_part is model:
        return found.kept, found.tally, found.suppressed
    left = problem.leaves_out
    kept = left.kept(found.kept, problem.privacy_at(found.levels))
    return kept.classes, problem.quality.suppress(found.tally, kept.dropped), kept.missing


def loss_by_attribute(problem: FullDomainProblem, levels: Levels) -> list[float] | None:
    """Return the loss of each attribute under a policy, or None if it cannot be separated."""
    released, tally, _ = released_of(problem, evaluate(problem, levels, start(problem)))
    return problem.quality.loss_by_attribute(levels, tally, released)
