"""Read, write, and convert evaluations. The files are ``evaluation.json``, a CSV file, and a page.

The JSON file contains the fingerprints of the other files. With the fingerprints, Roadstead detects
changed files, and replaces only files that are unchanged. None of these files is protected by
differential privacy.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead import __version__
from roadstead.printable import printable_lines
from roadstead.release.documents import fingerprint, now, write_json
from roadstead.release.staging import check_output, staged
from roadstead.reports.evaluation.comparison import ComparisonFacts
from roadstead.reports.evaluation.comparison_lines import comparison_lines, map_of
from roadstead.reports.evaluation.facts import FigureRow, JudgmentFacts, RehearsalFacts
from roadstead.reports.evaluation.lines import summary
from roadstead.reports.numbers import percent
from roadstead.requests import checks
from roadstead.verbs.frames import TabularResult, brief
from roadstead.verbs.writing import still_as_written

if TYPE_CHECKING:
    import pyarrow as pa

FIGURES, LINES, PAGE = "evaluation.json", "evaluation.csv", "evaluation.html"


@dataclass(frozen=True, repr=False)
class EvaluationFinding(TabularResult):
    """An evaluation. The figures are not differentially private.

    Attributes
    ----------
    facts
        The facts about a private release, a rehearsal, or a comparison of releases with the
        original table.
    """

    facts: JudgmentFacts | RehearsalFacts | ComparisonFacts

    @property
    def lines(self) -> list[str]:
        """Return the lines that describe the evaluation."""
        facts = self.facts
        return comparison_lines(facts) if isinstance(facts, ComparisonFacts) else summary(facts)

    @property
    def files(self) -> tuple[str, ...]:
        """Return the names of the files to write. Only a comparison includes a page."""
        page = (PAGE,) if isinstance(self.facts, ComparisonFacts) else ()
        return (FIGURES, LINES, *page)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that the command prints as JSON."""
        return self.facts.to_dict()

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write the figures into a new folder.

        Raises
        ------
        OutputError
            When the folder cannot be written. `force` replaces an earlier evaluation.
        """
        with staged(checks.path(out, "out"), force=force, own=_former) as folder:
            with (folder / LINES).open("w", encoding="utf-8", newline="") as stream:
                table = csv.writer(stream, lineterminator="\n")
                table.writerow(FigureRow._fields)
                table.writerows(self.facts.rows())
            created = now()
            if isinstance(self.facts, ComparisonFacts):
                (folder / PAGE).write_text(_page(self.facts, created), encoding="utf-8")
            made = {
                "roadstead_evaluation": 1,
                **self.to_dict(),
                "software": __version__,
                "created": created,
                "files": [asdict(fingerprint(folder / name)) for name in self.files[1:]],
            }
            write_json(made, folder / FIGURES)

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with one row for each figure of each run.

        The columns are run, way, classifier, figure, and value.
        """
        import pyarrow as pa  # noqa: PLC0415 - heavy

        return pa.Table.from_pylist([row._asdict() for row in self.facts.rows()])

    def _repr_html_(self) -> str:
        from roadstead.reports.evaluation.lines import chart_of  # noqa: PLC0415 - only here
        from roadstead.reports.notebook import block, drawn, words  # noqa: PLC0415 - only here

        facts = self.facts
        chart = map_of(facts) if isinstance(facts, ComparisonFacts) else chart_of(facts)
        return block(words(str(self)), drawn(chart))

    def __repr__(self) -> str:
        facts = self.facts
        if isinstance(facts, RehearsalFacts):
            runs = f"{len(facts.runs)} of {facts.planned} runs"
            figures = [runs, f"{len(facts.ways)} methods compared"]
        elif isinstance(facts, ComparisonFacts):
            figures = [f"{len(facts.releases)} releases compared"]
        else:
            right = [f"{name} {percent(share)} correct" for name, share in facts.accuracy.items()]
            figures = [f"epsilon = {facts.epsilon:g}", *right]
        return brief(self, facts.source, "not private", *figures)

    def __str__(self) -> str:
        return printable_lines(self.lines)


def _page(facts: ComparisonFacts, created: str) -> str:
    from roadstead.reports.evaluation.page import render_comparison  # noqa: PLC0415 - templates

    return render_comparison(facts, created)


def check_folder(out: Path, *, force: bool) -> None:
    """Reject a folder whose files must not be replaced."""
    check_output(out, force=force, own=_former)


def _former(folder: Path) -> frozenset[str]:
    return still_as_written(folder, FIGURES, mark="roadstead_evaluation")
