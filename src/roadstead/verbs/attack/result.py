"""Read, write, and convert the results of attacks on a release.

The JSON file contains the fingerprint of the page. With the fingerprint, Roadstead detects changes
to the page, and replaces the page only if it is unchanged.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead import __version__
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.printable import printable_lines
from roadstead.release.certificate import ATTACKS_PAGE, CERTIFICATE
from roadstead.release.documents import fingerprint, now, write_json
from roadstead.release.staging import check_output, staged
from roadstead.reports.attacks.facts import AttackFacts, attack_lines
from roadstead.requests import checks
from roadstead.verbs.frames import TabularResult, brief
from roadstead.verbs.writing import still_as_written

if TYPE_CHECKING:
    import pyarrow as pa

FIGURES = "attacks.json"
_MARK = "roadstead_attacks"
_COLUMNS = ("attack", "attempts", "successes", "base_attempts", "base_successes", "low", "high")


@dataclass(frozen=True, repr=False)
class AttackFinding(TabularResult):
    """The results of attacks on a release.

    Attributes
    ----------
    facts
        The results of each attack, and the attacks that were not run.
    """

    facts: AttackFacts

    @property
    def convicted(self) -> bool:
        """Return whether any attack was more successful than the release allows."""
        return bool(self.facts.convicted)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that the command prints as JSON."""
        return self.facts.to_dict()

    def to_arrow(self) -> pa.Table:
        """Return the results as an Arrow table with one row per finding."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        rows = self.to_dict()["attacks"]
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in _COLUMNS}
        columns["convicted"] = [row["convicted"] for row in rows]
        columns["sentence"] = [row["sentence"] for row in rows]
        return pa.table(columns)

    def page(self) -> str:
        """Return the page as HTML."""
        from roadstead.reports.attacks.page import render_attacks  # noqa: PLC0415 - templates

        return render_attacks(self.facts, now())

    def in_report(self, report: str) -> str:
        """Add a section about the attacks to the report of a release."""
        from roadstead.reports.attacks.page import report_with_attacks  # noqa: PLC0415 - templates

        return report_with_attacks(report, self.facts)

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write the figures and the page to a new folder.

        Raises
        ------
        OutputError
            When the folder cannot be written. `force` replaces earlier figures.
        """
        check_attack_folder(checks.path(out, "out"), force=force)
        with staged(checks.path(out, "out"), force=force, own=_former) as folder:
            (folder / ATTACKS_PAGE).write_text(self.page(), encoding="utf-8")
            made = {
                _MARK: 1,
                **self.to_dict(),
                "software": __version__,
                "created": now(),
                "files": [asdict(fingerprint(folder / ATTACKS_PAGE))],
            }
            write_json(made, folder / FIGURES)

    def __repr__(self) -> str:
        facts = self.facts
        verdict = (
            f"attacks that succeed: {len(facts.convicted)}"
            if facts.convicted
            else "no attack succeeds"
        )
        return brief(self, facts.release, f"{len(facts.found)} tests", verdict)

    def __str__(self) -> str:
        return printable_lines(attack_lines(self.facts))


def check_attack_folder(out: Path, *, force: bool) -> None:
    """Reject a release folder, and a folder whose files must not be replaced."""
    real = out.resolve()
    if any((folder / CERTIFICATE).is_file() for folder in (real, *real.parents)):
        raise SettingError(
            "this is the folder of a release, which may contain only certified files",
            where=option("out", str(out)),
            fix="choose a folder next to it, or run attack with "
            f"{option('certify', True)} to add the page to the release",
        )
    check_output(out, force=force, own=_former)


def _former(folder: Path) -> frozenset[str]:
    return still_as_written(folder, FIGURES, mark=_MARK)
