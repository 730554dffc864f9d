"""How many released records have fewer than k people behind them, in sentences.

The first sentence tells what is expected, the second what the rule that was asked for bounds. A
third follows where more is expected than the significance lets hope for, and says what to do.
"""

from __future__ import annotations

from roadstead.front_end import option
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.release.draft import Draft
from roadstead.release.expectation import least_size_that_keeps, rule_of
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, whole
from roadstead.risk.below_k import BelowK
from roadstead.risk.minimal_size import minimal_size


def expected_in_words(found: BelowK, which: str = "released with quasi-identifiers") -> str:
    """Say how many records (`which` are they?) have fewer than k people behind them."""
    of = f"of the {counted(found.released, 'record')} {which}"
    behind = f"fewer than {whole(found.k)} people of the population behind them"
    share = f" ({percent(found.share)})" if found.records else ""
    if not found.high:
        return f"None {of} has {behind}."
    one = found.records == 1
    if not found.estimated:
        return f"{whole(found.records)} {of}{share} {'has' if one else 'have'} {behind}."
    return (
        f"About {whole(found.records)} {of}{share} {'is' if one else 'are'} expected to have "
        f"{behind} (between "
        f"{whole(found.low)} and {whole(found.high)}, whatever the sizes of the classes are)."
    )


def expectation_of(draft: Draft) -> tuple[str, ...]:
    """Say what is expected of a release; nothing where no model asks for a number of people."""
    found, rule = draft.below_k, rule_of(draft.models)
    if found is None:
        return ()
    sentences = [expected_in_words(found)]
    if rule is not None:
        sentences.append(f"The rule {rule.estimator} bounds something else: {rule.bounded}.")
        if found.share > rule.significance:
            sentences.append(_way_on(draft, rule, found.share))
    return tuple(sentences)


def _way_on(draft: Draft, rule: EstimatedKMap, share: float) -> str:
    """Say that more is expected than the significance, and what would do."""
    k, significance = rule.k, rule.significance
    least = least_size_that_keeps(draft.generalized, rule)
    stricter = minimal_size(k, rule.fraction, "d4", significance)
    ways = []
    if least < k:
        ways.append(
            f"classes of {least:,} records or more bring it to {percent(significance)} or less at "
            f"these levels ({option('k', least)}, alongside the model)"
        )
    if stricter > rule.smallest:
        ways.append(f"the rule d4 asks for classes of {stricter:,}")
    ways.append(f"{k}-anonymity leaves none ({option('k', k)})")
    return (
        f"Warning: {percent(share)} is more than the significance, {percent(significance)}. "
        f"What helps: {'; '.join(ways)}."
    )
