"""A differentially private release: read it, write it, take it as a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roadstead.errors import quoted
from roadstead.front_end import as_in_documents
from roadstead.printable import printable_lines
from roadstead.release.private.publish import publish_private
from roadstead.release.verification.checks import Verification
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.reports.synthesis.facts import SynthesisFacts
from roadstead.reports.synthesis.lines import summary
from roadstead.verbs.frames import TabularResult, brief
from roadstead.verbs.synthesize.settings import PrivateSettings
from roadstead.verbs.verify.result import ShownVerification

if TYPE_CHECKING:
    import pyarrow as pa

    from roadstead.verbs.ledger import Spender


@dataclass(frozen=True, eq=False, repr=False)
class SynthesisFinding(TabularResult):
    """A differentially private release, with the files and tables it leads to.

    Attributes
    ----------
    facts
        All that anybody may know.
    settings
        The request, checked.
    private
        For the custodian's eyes; not in the document, the files or the certificate.
    seconds
        How long it took, which an unusual record can prolong.
    """

    facts: SynthesisFacts
    settings: PrivateSettings
    private: CustodianFacts = field(repr=False)
    seconds: float

    @property
    def guarantee(self) -> str:
        """What is promised, in a sentence."""
        return self.facts.guarantee

    def write(
        self, out: str | Path, *, force: bool = False, spender: Spender | None = None
    ) -> Verification:
        """Write the release, verified, into a new folder; enter it in the ledger it spends from.

        Raises
        ------
        OutputError
            When it cannot be written there; `force` replaces a former release.
        VerificationError
            When the written release does not keep a promise; nothing is published.
        """
        place = Path(out)

        def complete(certificate: Path) -> None:
            if spender is not None:
                persons = self.facts.unit.persons
                spender.ledger.prepare(
                    spender.entry(certificate, self.facts.source, persons=persons), place
                )

        found = publish_private(
            self.facts, place, force=force, report=self._report, complete=complete
        )
        if spender is not None:
            spender.ledger.enter()
        return ShownVerification.of(found)

    def to_dict(self) -> dict[str, Any]:
        """Give the document of a command's JSON; all but the seconds may be published."""
        return {**self.facts.to_dict(), "seconds": self.seconds, "not_covered": ["seconds"]}

    def to_arrow(self) -> pa.Table:
        """Give the released records as an Arrow table: generalized values, the class last."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        facts = self.facts
        listed = facts.listed
        group, of_class = np.divmod(
            np.repeat(np.arange(facts.counts.size), listed.released.reshape(-1)),
            len(facts.classes),
        )
        columns = {
            cut.attribute: pa.array(texts).take(pa.array(codes[group]))
            for cut, texts, codes in zip(facts.cuts, listed.cells, listed.groups.codes, strict=True)
        }
        columns[facts.target] = pa.array(facts.classes).take(pa.array(of_class))
        return pa.table(columns)

    def _report(self) -> str:
        from roadstead.reports.synthesis.page import synthesis_page  # noqa: PLC0415 - heavy

        with as_in_documents():
            return synthesis_page(self.facts, datetime.now(UTC).isoformat(timespec="seconds"))

    def _repr_html_(self) -> str:
        from roadstead.reports.notebook import block, drawn, words  # noqa: PLC0415 - only here
        from roadstead.reports.synthesis.page import chart_of  # noqa: PLC0415 - only here

        return block(words(str(self)), drawn(chart_of(self.facts)))

    def __repr__(self) -> str:
        facts = self.facts
        return brief(
            self,
            facts.source,
            f"epsilon = {facts.synthesis.epsilon}",
            f"target {quoted(facts.target)}",
            f"{len(facts.synthesis.steps)} specializations",
            f"{facts.groups:,} groups",
            f"{facts.records:,} records made up",
        )

    def __str__(self) -> str:
        return printable_lines(summary(self.facts))
