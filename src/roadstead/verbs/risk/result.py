"""Define the result of a risk assessment, with its files and tables.

The assessment covers the unchanged table and, if a policy is given, the table that the policy would
release. The JSON file contains the fingerprint of the page. With the fingerprint, Roadstead detects
changes to the page, and replaces the page only if it is unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead import __version__
from roadstead.front_end import name_in_list
from roadstead.printable import printable_lines
from roadstead.release.documents import fingerprint, now, write_json
from roadstead.release.staging import check_output, staged
from roadstead.reports.numbers import percent
from roadstead.reports.risk.advice import Advice, Circumstances
from roadstead.reports.risk.facts import RiskFacts
from roadstead.reports.risk.questions import Answers
from roadstead.reports.terminal.risk import below_k, summary
from roadstead.reports.wording import counted
from roadstead.requests import checks
from roadstead.requests.writing import CommandNaming, command
from roadstead.risk.assessment import Assessment
from roadstead.risk.journalist import JournalistRisk
from roadstead.risk.persons.prosecutor import PersonRisk
from roadstead.risk.persons.unicity import Singled
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.verbs.frames import TabularResult, brief
from roadstead.verbs.risk.advice import advise
from roadstead.verbs.writing import still_as_written

if TYPE_CHECKING:
    import pyarrow as pa

PAGE, FIGURES = "risk.html", "risk.json"


def check_folder(out: Path, *, force: bool) -> None:
    """Before any work starts, reject an output folder that cannot be written to.

    If `force` is true, a folder that contains only an earlier assessment is replaced.
    """
    check_output(out, force=force, own=_former)


def _former(folder: Path) -> frozenset[str]:
    return still_as_written(folder, FIGURES)


@dataclass(frozen=True)
class RiskFinding(RiskFacts, TabularResult):
    """The risk of a table, before and after a policy is applied.

    `seconds` is the total duration of the work, including reading the table.
    """

    seconds: float

    @property
    def prosecutor(self) -> ProsecutorRisk | PersonRisk:
        """Return the prosecutor risk of the records or people in the unchanged table."""
        return (self.before if self.by_person is None else self.by_person.before).prosecutor

    @property
    def journalist(self) -> JournalistRisk | None:
        """Return the journalist risk of the unchanged table, or None if there is no population."""
        return (self.before if self.by_person is None else self.by_person.before).journalist

    @property
    def unicity(self) -> tuple[Singled, ...]:
        """Return the unicity curve of the unchanged table, or nothing if records are counted."""
        return () if self.by_person is None else self.by_person.before.unicity

    def advise(
        self,
        *,
        whole_population: bool | None = None,
        membership_known: bool | None = None,
        self_revealing: bool | None = None,
    ) -> Advice:
        """Return which attacker to expect, and which privacy model protects against this attacker.

        Parameters
        ----------
        whole_population
            Whether the table contains its whole population, or a large part of the population.
        membership_known
            Whether other people can find out who is in the table.
        self_revealing
            Whether people in the table reveal that they are in the table.

        Raises
        ------
        SettingError
            When an answer is missing, or the sampling fraction contradicts an answer.
        """
        given = {
            "whole_population": whole_population,
            "membership_known": membership_known,
            "self_revealing": self_revealing,
        }
        for name, answer in given.items():
            if answer is not None:
                checks.yes_or_no(answer, name)
        return advise(Answers(**given), self.circumstances)

    @property
    def circumstances(self) -> Circumstances:
        """Return the facts, other than the answers, on which the advice depends."""
        label = self.population.label if self.population.basis == "file" else None
        knows = None if self.by_person is None else self.by_person.knows
        return Circumstances(self.threshold, self.population.fraction, label, knows)

    def command(self, advice: Advice, arguments: Sequence[str] = ()) -> str:
        """Return the command that releases the table according to the advice.

        `arguments` specifies the table and its columns.
        """
        typed = CommandNaming({})
        named = arguments or ("DATA", typed("quasi", None), ",".join(map(name_in_list, self.quasi)))
        return command("anonymize", [*named, *advice.options, typed("out", None), "release"])

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as a dictionary that can be converted to JSON."""
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
            "seconds": round(self.seconds, 3),
        }

    def _figures(self) -> dict[str, Any]:
        """Return the measured risks, with a summary that counts records if people are counted."""
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
        """Write the page and the figures to a new folder, with the advice if one is given.

        `arguments` has the same meaning as in `command`.

        Raises
        ------
        OutputError
            When the folder cannot be written. `force` replaces an earlier assessment.
        """
        from roadstead.reports.risk.page import risk_page  # noqa: PLC0415 - charts are heavy

        document, command = self.to_dict(), ""
        if advice is not None:
            command = self.command(advice, arguments)
            document["advice"] = advice.to_dict() | {"command": command}
        page = risk_page(
            self,
            created=now(),
            version=__version__,
            expected=below_k(self),
            advice=advice,
            command=command,
        )
        with staged(checks.path(out, "out"), force=force, own=_former) as folder:
            (folder / PAGE).write_text(page, encoding="utf-8")
            files = [asdict(fingerprint(folder / PAGE))]
            write_json({**document, "files": files}, folder / FIGURES)

    def to_arrow(self) -> pa.Table:
        """Return the class sizes as an Arrow table with the columns release, size, and classes.

        The column ``release`` contains ``before`` or ``after``. If people are counted, each size is
        a number of people.
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
    risk = records.prosecutor
    return {
        "maximum": risk.maximum,
        "average": risk.average,
        "records": risk.records,
        "unique_records": risk.uniques,
        "smallest_class": risk.smallest,
    }
