"""Which estimate of the population uniques to take (Dankar, El Emam, Neisa and Roffey 2012).

No model is best for all samples. From simulations on clinical tables came a rule: where at most a
tenth of the population was drawn, take Pitman's model; where more was drawn, take the smaller one
of Zayatz's and the slide negative binomial, for where they differ, the larger one is too large.

Where the model to take has no answer, the next best stands in: for Pitman's formula for large
populations the expectation of the same law, and then Zayatz, who always has an answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.risk.pitman import pitman_exact_uniques, pitman_uniques
from roadstead.risk.population_uniques import PopulationUniques, sample
from roadstead.risk.snb import snb_uniques
from roadstead.risk.zayatz import zayatz_uniques

_TENTH = 10


def dankar_uniques(sizes: NDArray[np.int64], people: int) -> PopulationUniques:
    """Estimate the people who are alone in the population by the model that the rule takes."""
    if sample(sizes, people).records * _TENTH > people:
        return smaller(zayatz_uniques(sizes, people), snb_uniques(sizes, people))
    for model in (pitman_uniques, pitman_exact_uniques):
        estimate = model(sizes, people)
        if estimate.uniques is not None:
            return estimate
    return zayatz_uniques(sizes, people)


def smaller(zayatz: PopulationUniques, snb: PopulationUniques) -> PopulationUniques:
    """Take the smaller estimate, Zayatz's where the other has none."""
    if zayatz.uniques is None or snb.uniques is None:
        return zayatz
    return zayatz if zayatz.uniques < snb.uniques else snb
