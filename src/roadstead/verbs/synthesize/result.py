"""Read, write, and convert a differentially private release."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from roadstead.errors import SettingError, quoted
from roadstead.front_end import as_in_documents
from roadstead.printable import printable_lines
from roadstead.release.documents import now
from roadstead.release.private.publish import publish_private
from roadstead.release.verification.checks import Verification
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.reports.synthesis.every_use import EveryUseFacts, budget_chart, every_use_summary
from roadstead.reports.synthesis.facts import SynthesisFacts
from roadstead.reports.synthesis.lines import summary
from roadstead.reports.synthesis.sample import SampleFacts, sample_chart, sample_summary
from roadstead.requests.checks import path
from roadstead.requests.outputs import EarlierPrivateReleases
from roadstead.verbs.frames import TabularResult, brief
from roadstead.verbs.synthesize.settings import AnySettings, Epsilon, SampleSettings
from roadstead.verbs.verify.result import ShownVerification

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.verbs.ledger import Spender

AnyFacts: TypeAlias = SynthesisFacts | EveryUseFacts | SampleFacts


@dataclass(frozen=True, eq=False, repr=False)
class SynthesisFinding(TabularResult):
    """A differentially private release, with its files and tables.

    Attributes
    ----------
    shown
        Everything that may be published.
    settings
        The checked request.
    private
        Facts that only the custodian may know. They are not included in the document, the files, or
        the certificate.
    seconds
        The running time in seconds. An unusual record can prolong the run, so the running time is
        not public.
    noted
        What the ledger said about the release when it was last written.
    """

    shown: AnyFacts
    settings: AnySettings
    private: CustodianFacts = field(repr=False)
    seconds: float
    noted: list[str] = field(default_factory=list, init=False)

    @property
    def facts(self) -> SynthesisFacts:
        """Return the public facts about a release for a target, including its groups.

        Raises
        ------
        SettingError
            When the release has no groups. In a release for general use, `shown` contains the
            margins. In a sample, `shown` contains the levels.
        """
        if not isinstance(self.shown, SynthesisFacts):
            what, fix = "a release without a target has no groups", "use `shown` instead"
            raise SettingError(what, where=self.shown.source, fix=fix)
        return self.shown

    @property
    def lines(self) -> list[str]:
        """Return lines about the release and its privacy cost."""
        match self.shown:
            case EveryUseFacts() as facts:
                return every_use_summary(facts)
            case SampleFacts() as sample:
                return sample_summary(sample)
            case SynthesisFacts() as grouped:
                return summary(grouped)

    @property
    def guarantee(self) -> str:
        """Return the guarantee in one sentence."""
        return self.shown.guarantee

    def write(
        self,
        out: str | Path,
        *,
        force: bool = False,
        ledger: str | Path | Spender | None = None,
        ledger_people: str | None = None,
        ledger_warn: bool = False,
        ledger_epsilon: Epsilon | None = None,
        verifier: bool = True,
    ) -> Verification:
        """Verify the release, and write it to a new folder.

        Parameters
        ----------
        out
            The folder.
        force
            Whether to replace an earlier release in the folder.
        ledger
            The folder of the ledger of releases. The folder must exist. An empty folder becomes a
            new ledger. The epsilon of this release is added to the epsilons of the earlier private
            releases of the same people. The release is recorded after publication.
        ledger_people
            The name in the ledger for the group of people in the table.
        ledger_warn
            Whether to publish even if the sum exceeds the budget. The report then shows this.
        ledger_epsilon
            The largest total epsilon of all private releases of these people. The default is the
            value that was set last.
        verifier
            Whether to include `verify.html`, the page that checks the release in a browser.

        Raises
        ------
        OutputError
            When the folder cannot be written.
        Refusal
            When the sum of the epsilons exceeds the budget in the ledger.
        VerificationError
            When the written release fails verification. In this case, nothing is published.
        """
        from roadstead.verbs.ledger import Spender, ledger_named  # noqa: PLC0415 - heavy
        from roadstead.verbs.synthesize.spending import spending  # noqa: PLC0415 - heavy

        place = path(out, "out")
        self.noted.clear()
        if isinstance(ledger, Spender):
            return self._written(place, ledger, self.shown, force=force, verifier=verifier)
        named = EarlierPrivateReleases(
            ledger=None if ledger is None else path(ledger, "ledger"),
            ledger_people=ledger_people,
            ledger_warn=ledger_warn,
            ledger_epsilon=ledger_epsilon,
        )
        with spending(
            ledger_named(named, place), self.settings.epsilon, self._delta or 0.0
        ) as spender:
            notes = () if spender is None else spender.notes
            self.noted.extend(notes)
            shown = replace(self.shown, notes=(*self.shown.notes, *notes))
            return self._written(place, spender, shown, force=force, verifier=verifier)

    def _written(
        self,
        place: Path,
        spender: Spender | None,
        shown: AnyFacts,
        *,
        force: bool,
        verifier: bool,
    ) -> Verification:
        def complete(certificate: Path) -> None:
            if spender is not None:
                persons = shown.unit.persons
                entry = spender.entry(certificate, shown.source, persons=persons, delta=self._delta)
                spender.ledger.prepare(entry, place)

        found = publish_private(
            shown,
            place,
            force=force,
            report=lambda: _page_of(shown),
            verifier=verifier,
            complete=complete,
        )
        if spender is not None:
            self.noted.extend(spender.use.alone(spender.ledger))
            spender.ledger.enter()
        return ShownVerification.of(found)

    @property
    def _delta(self) -> float | None:
        return self.settings.delta if isinstance(self.settings, SampleSettings) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the document for JSON. All entries except the running time may be published."""
        seconds = round(self.seconds, 3)
        return {**self.shown.to_dict(), "seconds": seconds, "not_covered": ["seconds"]}

    def to_arrow(self) -> pa.Table:
        """Return the released records as an Arrow table of generalized values.

        The class is the last column.
        """
        import pyarrow as pa  # noqa: PLC0415 - heavy

        facts = self.shown
        facts.own_tables()  # refuses a release that does not have its own tables
        listed = facts.listed
        group, of_class = np.divmod(
            np.repeat(np.arange(listed.released.size), listed.released.reshape(-1)),
            listed.released.shape[1],
        )
        columns = {
            cut.attribute: pa.array(texts).take(pa.array(codes[group]))
            for cut, texts, codes in zip(facts.cuts, listed.cells, listed.groups.codes, strict=True)
        }
        if facts.target is not None:
            columns[facts.target] = pa.array(facts.classes).take(pa.array(of_class))
        return pa.table(columns)

    def _repr_html_(self) -> str:
        from roadstead.reports.notebook import block, drawn, words  # noqa: PLC0415 - only here
        from roadstead.reports.synthesis.page import chart_of  # noqa: PLC0415 - only here

        match self.shown:
            case EveryUseFacts() as every:
                chart = budget_chart(every)
            case SampleFacts() as sample:
                chart = sample_chart(sample)
            case SynthesisFacts() as grouped:
                chart = chart_of(grouped)
        return block(words(str(self)), drawn(chart))

    def __repr__(self) -> str:
        facts = self.shown
        if isinstance(facts, EveryUseFacts):
            return brief(
                self,
                facts.source,
                f"epsilon = {facts.epsilon}",
                "for general use",
                f"{len(facts.margins)} margins",
                f"{facts.records:,} synthetic records",
            )
        if isinstance(facts, SampleFacts):
            return brief(
                self,
                facts.source,
                f"epsilon = {facts.epsilon}",
                f"delta = {facts.sample.budget.delta}",
                "for a sample",
                f"{facts.records:,} true records",
            )
        return brief(
            self,
            facts.source,
            f"epsilon = {facts.synthesis.epsilon}",
            f"target {quoted(facts.target)}",
            f"{len(facts.synthesis.steps)} specializations",
            f"{facts.groups:,} groups",
            f"{facts.records:,} synthetic records",
        )

    def __str__(self) -> str:
        return printable_lines([*self.private.warnings, *self.lines, *self.noted])


def _page_of(facts: AnyFacts) -> str:
    from roadstead.reports.synthesis.every_use import every_use_page  # noqa: PLC0415 - heavy
    from roadstead.reports.synthesis.page import synthesis_page  # noqa: PLC0415 - heavy
    from roadstead.reports.synthesis.sample import sample_page  # noqa: PLC0415 - heavy

    created = now()
    with as_in_documents():
        if isinstance(facts, EveryUseFacts):
            return every_use_page(facts, created)
        if isinstance(facts, SampleFacts):
            return sample_page(facts, created)
        return synthesis_page(facts, created)
