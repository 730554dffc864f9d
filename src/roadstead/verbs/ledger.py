"""Compare a new release with earlier releases in a ledger, and record the new release.

A release is recorded after it is published. The module `roadstead.release.ledger.folder` describes
the steps.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roadstead.capabilities import require_combination
from roadstead.errors import Refusal
from roadstead.front_end import option
from roadstead.policies.document import to_json
from roadstead.policies.treatments.document import treatment_parts
from roadstead.release.apply import released_table
from roadstead.release.documents import fingerprint, now
from roadstead.release.draft import Draft
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.ledger.classes import persons_of_classes, released_classes
from roadstead.release.ledger.entry import EarlierRelease
from roadstead.release.ledger.facts import Overlay
from roadstead.release.ledger.folder import ReleaseLedger, held_ledger, require_ledger_folder
from roadstead.release.ledger.joint import placed
from roadstead.release.ledger.overlay import ReleaseToLay, laid_over
from roadstead.release.ledger.spending import SpentTogether, spent_together
from roadstead.reports.ledger import (
    LedgerFindings,
    apart_notes,
    finding_words,
    findings_fix,
    ledger_reminder,
    nothing_compared,
    overlay_document,
    overlay_notes,
    spending_note,
)
from roadstead.reports.wording import counted
from roadstead.requests.checks import wrong
from roadstead.requests.fields import checked
from roadstead.requests.outputs import EarlierReleases
from roadstead.tables.content import content_digest
from roadstead.tables.source import Engine, Source
from roadstead.verbs.combination import LEDGER_PART

if TYPE_CHECKING:
    from roadstead.reports.content import ReportContent

Request = TypeVar("Request", bound=EarlierReleases)


@dataclass(frozen=True)
class LaidDraft:
    """A draft of a release, and its comparison with earlier releases.

    The ledger records the release after publication.
    """

    draft: Draft
    overlay: Overlay

    def with_notes(self, content: ReportContent) -> ReportContent:
        """Add the notes of the ledger to the content of a report."""
        notes = overlay_notes(self.overlay.for_sharing())
        others = (one for one in content.notes if one != ledger_reminder(advice=False))
        return replace(content, notes=(*others, *notes))


@dataclass
class LedgerUse:
    """The ledger that a request uses."""

    folder: Path
    people: str = ""
    warn: bool = False
    lines: tuple[str, ...] = field(default=(), init=False)
    document: dict[str, Any] = field(default_factory=dict, init=False)

    @contextlib.contextmanager
    def entered(self, draft: Draft, out: Path) -> Iterator[LaidDraft]:
        """Compare a draft with earlier releases, and record the release at the end of the block.

        The code in the ``with`` block must publish the release.
        """
        with held_ledger(self.folder) as ledger:
            require_combination((*treatment_parts(draft.policy.treatments), LEDGER_PART))
            new = _to_lay(draft)
            same = ledger.of_people(self.people)
            others = [one for one in ledger.entries if one not in same]
            overlay = laid_over(new, same, others)
            named = {one.name for one in same if one.people}
            self._require(overlay, draft.source.name, named)

            def complete(certificate: Path) -> None:
                ledger.prepare(self._entry(draft, new, certificate), out)

            yield LaidDraft(replace(draft, overlay=overlay, complete=complete), overlay)
            entry = ledger.enter()
        self.lines = (
            *(alone := self.alone(ledger, joined=bool(overlay.joined))),
            *overlay_notes(overlay)[len(alone) :],
            f"The release was added to the ledger: {entry}",
        )
        self.document = {**overlay_document(overlay), "entry": str(entry)}

    @contextlib.contextmanager
    def spending(
        self, epsilon: Fraction, limit: Fraction | None, source: str, delta: float = 0.0
    ) -> Iterator[Spender]:
        """Lock the ledger during a private release. Refuse a release that exceeds the budget."""
        with held_ledger(self.folder) as ledger:
            spent = spent_together(ledger.of_people(self.people), epsilon, limit, delta)
            if spent.exceeds and not self.warn:
                raise Refusal(
                    "together with earlier private releases of these people, epsilon would be "
                    f"{spent.together}, but the budget is {spent.limit}",
                    where=source,
                    fix=f"use a smaller epsilon, or set {option('ledger_epsilon')} to a new budget",
                )
            yield Spender(self, ledger, spent)

    def alone(self, ledger: ReleaseLedger, *, joined: bool = False) -> tuple[str, ...]:
        """Return a note if the ledger has no earlier release of the same people."""
        if ledger.of_people(self.people):
            return ()
        names = sorted({one.people for one in ledger.entries})
        return (nothing_compared(self.people, names, joined=joined),)

    def _require(self, overlay: Overlay, where: str, named: Collection[str]) -> None:
        """Refuse a release that would single out people, unless only a warning is requested."""
        if self.warn:
            return
        if any(one.why == "people" for one in overlay.partly):
            raise Refusal(
                "in an earlier release of the ledger, a person can have several records in the "
                "same group, but this release would count each of these records as one person; "
                "the ledger could not check how many people the new records belong to",
                where=where,
                fix=f"use {option('person')} with the person ID column of the earlier release; or "
                f"release it with a warning: {option('ledger_warn', True)}",
            )
        if not overlay.findings:
            return
        first, *others = overlay.findings
        more = f", and {counted(len(others), 'more such finding')}" if others else ""
        refusal = Refusal(
            "together with earlier releases, this release would single out people: "
            f"{finding_words(first)}{more}",
            where=where,
            fix=f"{findings_fix(overlay.findings, named=first.earlier in named)}; or release it "
            f"with a warning: {option('ledger_warn', True)}",
        )
        refusal.earlier_releases = LedgerFindings(overlay)
        raise refusal

    def _entry(self, draft: Draft, new: ReleaseToLay, certificate: Path) -> EarlierRelease:
        persons = draft.persons
        return EarlierRelease(
            certificate=fingerprint(certificate).sha256,
            kind="table",
            created=now(),
            people=self.people,
            source=draft.source.name,
            content=new.content,
            records=draft.counts.records,
            persons=None if persons is None else persons.persons,
            k=new.k,
            policy=to_json(draft.policy),
            classes=new.classes,
        )


@dataclass(frozen=True)
class Spender:
    """A private release in progress, with the budget that it spends."""

    use: LedgerUse
    ledger: ReleaseLedger
    spent: SpentTogether

    def entry(
        self, certificate: Path, source: str, *, persons: bool, delta: float | None = None
    ) -> EarlierRelease:
        """Return the ledger entry of the release, which contains nothing about the records."""
        return EarlierRelease(
            certificate=fingerprint(certificate).sha256,
            kind="private",
            created=now(),
            people=self.use.people,
            source=source,
            epsilon=str(self.spent.now),
            delta=delta,
            epsilon_limit=None if self.spent.limit is None else str(self.spent.limit),
            unit="person" if persons else "record",
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes about the total budget that all releases in the ledger spend."""
        said = [spending_note(self.spent)]
        if self.spent.exceeds:
            said.append("Warning: this is more than the budget.")
        if len(self.spent.units) > 1:
            said.append(
                "Some of these releases protect records, and others protect people. Therefore, "
                "the sum applies only to people with one record."
            )
        said += apart_notes(len(self.ledger.entries) - len(self.ledger.of_people(self.use.people)))
        return tuple(said)


def ledger_of(request: EarlierReleases) -> LedgerUse | None:
    """Return the ledger of a request, or None if the request has no ledger."""
    if request.ledger is None:
        return None
    people = " ".join((request.ledger_people or "").split())
    return LedgerUse(request.ledger, people, request.ledger_warn)


def ledger_named(request: Request, out: Path) -> Request:
    """Check the arguments about a ledger in a Python call, and return them."""
    named = checked(request)
    require_ledger(named, out)
    return named


def require_ledger(request: EarlierReleases, out: Path | None) -> None:
    """Reject a ledger if no release is written, and a ledger inside the release folder.

    If there is no ledger, reject the other settings about a ledger, because they would have no
    effect.
    """
    if request.ledger is None:
        for key in ("ledger_people", "ledger_warn", "ledger_epsilon"):
            if getattr(request, key, None) not in (None, False):
                raise wrong(key, "this setting requires a ledger", f"add {option('ledger', 'DIR')}")
        return
    if out is None:
        what = (
            "the ledger records each release after the release is written, but no output "
            "folder is given"
        )
        raise wrong("ledger", what, f"add {option('out', 'DIR')}")
    _require_apart(request.ledger, out)
    require_ledger_folder(request.ledger)


def _require_apart(ledger: Path, out: Path) -> None:
    own, other = ledger.resolve(), out.resolve()
    if own == other or own.is_relative_to(other):
        what = "the ledger would be inside the release, so recipients would get the ledger"
        raise wrong("ledger", what, "choose a folder outside the release")


def _to_lay(draft: Draft) -> ReleaseToLay:
    """Count the classes that a release will have when it is written."""
    table = released_table(draft.source, draft.policy, draft.generalized, mask=draft.masks)
    engine = Engine(table.get_backend().name)
    released = Source(table, tuple(table.columns), draft.source.name, engine)
    generalized, person = draft.generalized, None
    if isinstance(generalized, GeneralizedPersons):
        made, persons = generalized.pseudonyms, generalized.table.persons
        keyed, person = made is not None and made.keyed, persons.column
        classes = released_classes(released, draft.policy, keyed=keyed)
        of_row = placed(generalized.table, draft.policy, classes)
        counts = persons_of_classes(persons, of_row, generalized.rows[1])
        classes = replace(classes, persons=counts)
    else:
        classes = released_classes(released, draft.policy, keyed=False)
    return ReleaseToLay(
        draft.source,
        content_digest(draft.source.table, draft.source.name),
        draft.policy,
        draft.group_size,
        classes,
        person,
    )
