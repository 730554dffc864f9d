"""Read, write, and convert a differentially private release."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.errors import SettingError, quoted
from roadstead.front_end import as_in_documents
from roadstead.printable import printable_lines
from roadstead.release.private.publish import publish_private
from roadstead.release.verification.checks import Verification
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.reports.synthesis.every_use import EveryUseFacts, budget_chart, every_use_summary
from roadstead.reports.synthesis.facts import SynthesisFacts
from roadstead.reports.synthesis.lines import summary
from roadstead.reports.synthesis.sample import SampleFacts, sample_chart, sample_summary
from roadstead.verbs.frames import TabularResult, brief
from roadstead.verbs.synthesize.settings import AnySettings, SampleSettings
from roadstead.verbs.verify.result import ShownVerification

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.verbs.ledger import Spender


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
    """

    shown: SynthesisFacts | EveryUseFacts | SampleFacts
    settings: AnySettings
    private: CustodianFacts = field(repr=False)
    seconds: float

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
        spender: Spender | None = None,
        verifier: bool = True,
    ) -> Verification:
        """Verify the release, write it to a new folder, and record it in the ledger.

        If `verifier` is true, the release includes `verify.html`, which checks the release.

        Raises
        ------
        OutputError
            When the folder cannot be written. `force` replaces an earlier release.
        VerificationError
            When the written release fails verification. In this case, nothing is published.
        """
        place = Path(out)

        def complete(certificate: Path) -> None:
            if spender is not None:
                persons = self.shown.unit.persons
                spender.ledger.prepare(
                    spender.entry(
                        certificate, self.shown.source, persons=persons, delta=self._delta
                    ),
                    place,
                )

        found = publish_private(
            self.shown,
            place,
            force=force,
            report=self._report,
            verifier=verifier,
            complete=complete,
        )
        if spender is not None:
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

    def _report(self) -> str:
        from roadstead.reports.synthesis.every_use import every_use_page  # noqa: PLC0415 - heavy
        from roadstead.reports.synthesis.page import synthesis_page  # noqa: PLC0415 - heavy
        from roadstead.reports.synthesis.sample import sample_page  # noqa: PLC0415 - heavy

        facts, created = self.shown, datetime.now(UTC).isoformat(timespec="seconds")
        with as_in_documents():
            if isinstance(facts, EveryUseFacts):
                return every_use_page(facts, created)
            if isinstance(facts, SampleFacts):
                return sample_page(facts, created)
            return synthesis_page(facts, created)

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
        return printable_lines(self.lines)
