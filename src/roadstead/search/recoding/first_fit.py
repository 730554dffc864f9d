"""Local recoding by first fit: the base line of all searches for it.

All vectors of levels are walked in ascending order of what they lose on the whole table. At each,
the records that have no class yet are put into classes, and those that keep the privacy model stay.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from roadstead.policies.classes import keep, no_class, one_class, refine
from roadstead.search.protocol import Control, Ending
from roadstead.search.recoding.protocol import Recoded, RecodingOutcome, RecodingProblem, settled


class FirstFit:
    """The first vector of levels that fits, in order of mean cost."""

    name = "first-fit"
    guarantee = "nothing but that each class keeps the privacy model"

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Walk the vectors of levels."""
        control.begin()
        encoding = problem.encoding
        counts, space = encoding.counts, problem.space
        costs = [
            [
                float(counts @ (leaves[codes] - 1)) * share / max(h.domain_size - 1, 1)
                for leaves in levels
            ]
            for levels, codes, share, h in zip(
                encoding.leaves, encoding.codes, problem.shares, encoding.hierarchies, strict=True
            )
        ]
        ranges = [range(low, high + 1) for low, high in zip(space.bottom, space.top, strict=True)]
        vectors = np.array(list(product(*ranges)), dtype=np.int32)
        total = sum(np.array(own)[vectors[:, at]] for at, own in enumerate(costs))
        top = tuple(height - 1 for height in encoding.heights)
        left = one_class(encoding)
        parts, ending, tried = [], None, 0
        for vector in vectors[np.argsort(total, kind="stable")]:
            levels = tuple(vector.tolist())
            classes = refine(encoding, left, top, levels)
            kept = problem.privacy.satisfied(classes)
            tried += 1
            if kept.any():
                stay, dropped = keep(classes, kept)
                first = np.unique(stay.ids, return_index=True)[1]
                rows = stay.rows[first]
                shown = [
                    lookups[level][codes[rows]]
                    for lookups, codes, level in zip(
                        encoding.lookups, encoding.codes, levels, strict=True
                    )
                ]
                pairs = np.stack([np.tile(vector, (rows.size, 1)), np.stack(shown, axis=1)], axis=2)
                parts.append(pairs.astype(np.int32))
                if not dropped.size:
                    break
                members = (dropped.astype(np.uint64) << np.uint64(32)).astype(np.uint64)
                left = no_class()
                left = type(left)(
                    members,
                    np.zeros(1, np.uint32),
                    np.array([int(counts[dropped].sum())], np.int64),
                )
            if (ending := control.ending(tried)) is not None:
                break
        found = settled(problem, np.concatenate(parts)) if parts else None
        best: Recoded | None = found
        loss = 1.0 if best is None else best.loss(problem)
        end: Ending = ending or "complete"
        return RecodingOutcome(best, loss, 0.0, control.seconds, end, tried)
