"""Fill the page of a differentially private release: with what may be told, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

from roadstead import __version__
from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain
from roadstead.release.private import promise as private_promise
from roadstead.release.private.cells import names_of
from roadstead.reports.synthesis_marginals import marginals_of
from roadstead.reports.synthesis_view import DomainView, SpendingView, SynthesisView
from roadstead.reports.wording import counted, listed
from roadstead.verbs.synthesize.found import FoundSynthesis

_DECLARED = "declared"


def page_of(found: FoundSynthesis) -> str:
    """Make the page's HTML."""
    from roadstead.reports.synthesis_page import synthesis_page  # noqa: PLC0415 - charts are heavy

    return synthesis_page(view_of(found))


def view_of(found: FoundSynthesis) -> SynthesisView:
    """Say all that the page shows."""
    synthesis, settings = found.synthesis, found.settings
    steps = [one.step for one in synthesis.ledger]
    return SynthesisView(
        source=found.source,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        guarantee=found.guarantee,
        amount=private_promise.amount(synthesis.epsilon),
        factor=private_promise.factor(synthesis.epsilon),
        epsilon=synthesis.epsilon,
        unit=found.unit,
        neighbors=private_promise.neighbors(found.unit),
        target=found.request.target,
        classes=found.classes,
        score=found.request.score.name,
        chosen=found.request.specializations is None,
        steps=synthesis.steps,
        groups=found.groups,
        all_groups=synthesis.groups.all_groups,
        least=synthesis.groups.least,
        by_class=tuple(int(number) for number in found.counts.sum(axis=0)),
        marginals=marginals_of(
            synthesis.groups, found.counts, [names_of(cut) for cut in found.cuts]
        ),
        ledger=tuple(SpendingView(one.step, one.epsilon) for one in synthesis.ledger),
        counts_epsilon=synthesis.counted_for,
        public=(
            *(_public(cut.domain, found.origins[cut.attribute]) for cut in found.cuts),
            DomainView(found.request.target, listed(found.classes), _DECLARED),
        ),
        outside=private_promise.outside(settings),
        mechanisms=private_promise.mechanisms(steps),
        randomness=private_promise.RANDOMNESS,
        post_processing=private_promise.POST_PROCESSING,
        not_protected=private_promise.not_protected(settings),
        notes=found.notes,
    )


def _public(domain: Domain, origin: str) -> DomainView:
    match domain:
        case NumericDomain():
            holds = f"numbers from {domain.low} to {domain.high} in steps of {domain.step}"
        case CategoricalDomain():
            holds = counted(domain.size, "value")
        case _:
            holds = f"sets of {counted(domain.taxonomy.size, 'item')}"
    told = _DECLARED if origin.startswith(f"{_DECLARED}:") else origin
    return DomainView(domain.attribute, holds, told)
