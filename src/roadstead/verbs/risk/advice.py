"""Determine which attacker to expect, and which privacy model protects against this attacker.

Paper 001 (Discussion, Guidelines) reduces the choice to three questions. The *prosecutor* looks for
one known person, and must be certain that the person is in the table. If any answer is yes, the
prosecutor can be certain, and the table needs k-anonymity. Otherwise, the only attacker is the
*journalist*, who targets any person in a register of the population, and the table needs k-map. If
only the size of the population is known, the hypothesis test D4 replaces k-map.
"""

from __future__ import annotations

from roadstead.reports.risk.advice import SIGNIFICANCE, Advice, Circumstances, advice_on
from roadstead.reports.risk.questions import QUESTIONS, Answers
from roadstead.risk.minimal_size import minimal_size


def advise(answers: Answers, known: Circumstances) -> Advice:
    """Return which attacker to expect, and which privacy model protects against this attacker.

    The function rejects answers that are missing or contradict the sampling fraction.
    """
    answers.check(known.fraction)
    k = known.k
    if known.knows is not None:
        return advice_on("person-anonymity", answers, known, least=k)
    if any(getattr(answers, q.name) for q in QUESTIONS):
        return advice_on("k-anonymity", answers, known, least=k)
    if known.population is not None:
        return advice_on("k-map", answers, known, options=("--privacy", f"k-map:k={k}"))
    if (fraction := known.fraction) is None:
        return advice_on("k-anonymity", answers, known, least=k)
    least = minimal_size(k, fraction, "d4", SIGNIFICANCE)
    model = f"estimated-k-map:k={k},fraction={fraction!r},estimator=d4,significance={SIGNIFICANCE}"
    return advice_on("estimated-k-map", answers, known, least=least, options=("--privacy", model))
