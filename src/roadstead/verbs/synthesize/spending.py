"""Spend the epsilon of a private release in a ledger, before anything is published."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction

from roadstead.requests.outputs import EarlierPrivateReleases
from roadstead.verbs.ledger import Spender, ledger_of
from roadstead.verbs.synthesize.settings import epsilon_of


@contextlib.contextmanager
def spending(
    request: EarlierPrivateReleases, epsilon: Fraction, delta: float
) -> Iterator[Spender | None]:
    """Lock the ledger of a request. Refuse a release that would exceed the budget."""
    use = ledger_of(request)
    if use is None:
        yield None
        return
    limit = request.ledger_epsilon
    allowed = None if limit is None else epsilon_of(limit, "ledger_epsilon")
    with use.spending(epsilon, allowed, str(use.folder), delta) as spender:
        yield spender
