"""Choose an estimate of the population uniques (Dankar, El Emam, Neisa, and Roffey 2012).

If at most a tenth of the population was sampled, use Pitman's model. Otherwise, use Zayatz's model
or the slide negative binomial model, whichever gives the smaller result. The authors derived this
rule from simulations on clinical tables.

If Pitman's formula for large populations does not give an estimate, the expectation under Pitman's
model is used. If there is also no expectation, Zayatz's model is used, which always gives an
estimate.
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
    """Estimate the number of people who are unique in the population by Dankar's rule."""
    if sample(sizes, people).records * _TENTH > people:
        return smaller(zayatz_uniques(sizes, people), snb_uniques(sizes, people))
    for model in (pitman_uniques, pitman_exact_uniques):
        estimate = model(sizes, people)
        if estimate.uniques is not None:
            return estimate
    return zayatz_uniques(sizes, people)


def smaller(zayatz: PopulationUniques, snb: PopulationUniques) -> PopulationUniques:
    """Return the smaller estimate, or Zayatz's estimate if the other model has no estimate."""
    if zayatz.uniques is None or snb.uniques is None:
        return zayatz
    return zayatz if zayatz.uniques < snb.uniques else snb
