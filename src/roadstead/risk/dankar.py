"""Which estimate of the population uniques to use (Dankar, El Emam, Neisa, and Roffey 2012).

No model is best for all samples. Simulations on clinical tables led to a rule. If at most a tenth
of the population was sampled, use Pitman's model. If more was sampled, use Zayatz's model or the
slide negative binomial model, whichever gives the smaller result. If the two results differ, the
larger result is too large.

If the chosen model has no answer, the next best model replaces it. Pitman's formula for large
populations is replaced by the expectation of the same law, and then by Zayatz's model, which always
has an answer.
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
    """Estimate how many people are unique in the population, with the model from the rule."""
    if sample(sizes, people).records * _TENTH > people:
        return smaller(zayatz_uniques(sizes, people), snb_uniques(sizes, people))
    for model in (pitman_uniques, pitman_exact_uniques):
        estimate = model(sizes, people)
        if estimate.uniques is not None:
            return estimate
    return zayatz_uniques(sizes, people)


def smaller(zayatz: PopulationUniques, snb: PopulationUniques) -> PopulationUniques:
    """Return the smaller estimate, or Zayatz's if the other model has none."""
    if zayatz.uniques is None or snb.uniques is None:
        return zayatz
    return zayatz if zayatz.uniques < snb.uniques else snb
