"""What an assessment found, with the files and tables it leads to.

A table is assessed as it is and, where a policy is given, as the policy would release it. Of the
files, which appear whole or not at all, ``risk.html`` is the page, ``risk.json`` all figures. The
latter keeps the fingerprint of the page, so that only what is still as it was written is replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead import __version__
from roadstead.printable import printable_lines
from roadstead.release.documents import fingerprint, write_json
from roadstead.release.staging import check_output, staged
from roadstead.reports.numbers import percent
from roadstead.reports.risk.facts import AdviceShown, RiskFacts
from roadstead.reports.terminal.risk import below_k, summary
from roadstead.reports.wording import counted
from roadstead.requests.writing import CommandNaming, command
from roadstead.risk.assessment import Assessment
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.persons.prosecutor import PersonRisk
from roadstead.risk.persons.unicity import Singled
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.verbs.frames import TabularResult, brief
from roadstead.verbs.risk.advice import Advice, Answers, Circumstances, advise
from roadstead.verbs.writing import still_as_written

if TYPE_CHECKING:
    import pyarrow as pa

PAGE, FIGURES = "risk.html", "risk.json"


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written to, before any work is done.

    With `force`, one that holds nothing but a former assessment is replaced.
    """
    check_output(out, force=force, own=_former)


def _former(folder: Path) -> frozenset[str]:
    return still_as_written(folder, FIGURES)


@dataclass(frozen=True)
class RiskFinding(RiskFacts, TabularResult):
    """An assessment of a table, before a policy and after it, as `RiskFacts` describes.

    `seconds` is the time of the whole work, reading included.
    """

    seconds: float

    @property
    def prosecutor(self) -> ProsecutorRisk | PersonRisk:
        """Prosecutor risk of the table as it is; of its persons where they are counted."""
        return (self.before if self.by_person is None else self.by_person.before).prosecutor

    @property
    def journalist(self) -> JournalistRisk | None:
        """Journalist risk of the table as it is, where a population is known; also of persons."""
        return (self.before if self.by_person is None else self.by_person.before).journalist

    @property
    def unicity(self) -> tuple[Singled, ...]:
        """The unicity curve of the table as it is; empty where records are counted."""
        return () if self.by_person is None else self.by_person.before.unicity

    def advise(
        self,
        *,
        whole_population: bool | None = None,
        membership_known: bool | None = None,
        self_revealing: bool | None = None,
    ) -> Advice:
        """Say which attacker applies, and which privacy model follows.

        Parameters
        ----------
        whole_population
            Whether the table holds its whole population or a large part of it.
        membership_known
            Whether others can find out who is in it.
        self_revealing
            Whether those who are in it tell others.

        Raises
        ------
        SettingError
            When an answer is missing, or the sampling fraction contradicts it.
        """
        return advise(
            Answers(whole_population, membership_known, self_revealing), self.circumstances
        )

    @property
    def circumstances(self) -> Circumstances:
        """What advice goes by, alongside the answers."""
        label = self.population.label if self.population.basis == "file" else None
        knows = None if self.by_person is None else self.by_person.knows
        return Circumstances(self.threshold, self.population.fraction, label, knows)

    def command(self, advice: Advice, arguments: Sequence[str] = ()) -> str:
        """Write the command that releases the table as advised.

        `arguments` are those that name the table and its columns.
        """
        typed = CommandNaming({})
        named = arguments or ("DATA", typed("quasi", None), ",".join(self.quasi))
        return command("anonymize", [*named, *advice.options, typed("out", None), "release"])

    def to_dict(self) -> dict[str, Any]:
        """Give what was found as JSON holds it."""
        return {
            "source": self.source,
            "records": self.records,
            "counted": self.counted.to_dict(),
            "quasi": list(self.quasi),
            "threshold": self.threshold,
            "population": {
                "basis": self.population.basis,
                "people": self.population.people,
                "sampling_fraction": self.population.fraction,
            },
            **self._figures(),
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def _figures(self) -> dict[str, Any]:
        """Give the figures; of persons where they are counted, and then in short of records too."""
        persons = self.by_person
        if persons is None:
            after = None if self.after is None else self.after.to_dict()
            return {**self.before.to_dict(), "policy": self.policy, "after": after}
        return {
            "person": persons.column,
            "knows": str(persons.knows),
            "persons": persons.persons,
            "k": persons.k,
            **persons.before.to_dict(),
            "policy": self.policy,
            "after": None if persons.after is None else persons.after.to_dict(),
            "counting_records": {
                "before": _in_short(self.before),
                "after": None if self.after is None else _in_short(self.after),
            },
        }

    def write(
        self,
        out: str | Path,
        *,
        force: bool = False,
        advice: Advice | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        """Write the page and the figures into a new folder, with advice if there is some.

        For the command in the advice, `arguments` are as in `command`.

        Raises
        ------
        OutputError
            When it cannot be written there; `force` replaces a former assessment.
        """
        from roadstead.reports.risk.page import risk_page  # noqa: PLC0415 - charts are heavy

        document, shown = self.to_dict(), None
        if advice is not None:
            command = self.command(advice, arguments)
            document["advice"] = advice.to_dict() | {"command": command}
            shown = AdviceShown(
                advice.attacker, advice.says, advice.statement, advice.notes, command
            )
        page = risk_page(
            self,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            version=__version__,
            expected=below_k(self),
            advice=shown,
        )
        with staged(Path(out), force=force, own=_former) as folder:
            (folder / PAGE).write_text(page, encoding="utf-8")
            files = [asdict(fingerprint(folder / PAGE))]
            write_json({**document, "files": files}, folder / FIGURES)

    def to_arrow(self) -> pa.Table:
        """Give class sizes as an Arrow table: release (before, after), size, classes.

        They are in persons where persons are counted.
        """
        import pyarrow as pa  # noqa: PLC0415 - heavy

        before, after = self.before.sizes, () if self.after is None else self.after.sizes
        if (persons := self.by_person) is not None:
            before = persons.before.class_sizes
            after = () if persons.after is None else persons.after.class_sizes
        rows = [("before", *pair) for pair in before] + [("after", *pair) for pair in after]
        names = ("release", "size", "classes")
        return pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})

    def _repr_html_(self) -> str:
        from roadstead.reports.notebook import block, drawn, words  # noqa: PLC0415 - only here
        from roadstead.reports.risk.page import charts_of  # noqa: PLC0415 - templates are heavy

        return block(words(str(self)), *map(drawn, charts_of(self)))

    def __repr__(self) -> str:
        figures = [
            f"{len(self.quasi)} quasi-identifiers",
            f"prosecutor risk at most {percent(self.prosecutor.maximum)}",
            f"{percent(self.prosecutor.average)} on average",
        ]
        after = self.after if self.by_person is None else self.by_person.after
        if after is not None:
            figures.append(f"at most {percent(after.prosecutor.maximum)} after the policy")
        if self.by_person is not None:
            figures.insert(0, counted(self.by_person.persons, "person", "people"))
        return brief(self, self.source, counted(self.records, "record"), *figures)

    def __str__(self) -> str:
        return printable_lines(summary(self))


def _in_short(records: Assessment) -> dict[str, Any]:
    """Say what counting records would tell, for comparison."""
    risk = records.prosecutor
    return {
        "maximum": risk.maximum,
        "average": risk.average,
        "records": risk.records,
        "unique_records": risk.uniques,
        "smallest_class": risk.smallest,
    }
