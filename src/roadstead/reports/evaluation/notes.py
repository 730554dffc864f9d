"""Write the notes on an evaluation for its readers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from roadstead.release.private.units import PrivacyUnit
from roadstead.release.shown import ShownRelease
from roadstead.reports.evaluation.facts import JudgmentFacts, Run
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, listed

NO_CONTINGENCY_TABLE = (
    "The contingency table was left out, because the domains have more than 2^62 combinations. "
    "Methods that choose specializations avoid this problem."
)
RISKS_OF_RECORDS = (
    "Risks are per record, not per person. The certificate of a release has the risks per person."
)
_FEW = 0.5
"""A note warns if less than this share of the held-out records is inside the domains."""


def learning(classifier: str, source: str = "the original records") -> str:
    """Return the step in which a classifier learns."""
    return f"{classifier} learns from {source}"


def of_rehearsal(
    runs: Sequence[Run], planned: int, classes: Sequence[str], unit: PrivacyUnit
) -> list[str]:
    """Return the notes on the finished runs of a rehearsal."""
    notes = []
    if unit.records > 1:
        notes.append(
            "The split ignores person IDs. The same person can be in both the training and the "
            "test set, so accuracy may be overstated."
        )
    if len(runs) < planned:
        notes.append(
            f"The evaluation stopped after {counted(len(runs), 'run')} of {planned}. The figures "
            "are for the finished runs."
        )
    if len(runs) == 1:
        notes.append("With a single run, the spread cannot be estimated, so there is no interval.")
    absent = {name for run in runs for name in run.absent}
    if absent:
        times = sum(bool(run.absent) for run in runs)
        names = listed([name for name in classes if name in absent])
        notes.append(
            f"In {counted(times, 'run')}, no training record had the class {names}, so no "
            "classifier can predict this class in such a run."
        )
    return notes


def of_judgment(facts: JudgmentFacts, *, same_name: bool) -> list[str]:
    """Return the notes on a release. If `same_name` is true, both files have the same name."""
    notes = []
    if same_name:
        notes.append(
            "The held-out file has the same name as the table that the release was made from. If "
            "its records were used for the release, the accuracies are too high."
        )
    if not any(facts.released):
        notes.append("The release has no records, so no classifier can learn from it.")
    elif missing := _without(facts.classes, facts.released):
        notes.append(
            f"The release has no record of the class {listed(missing)}, so no classifier that "
            "learns from it predicts that class."
        )
    if absent := _without(facts.classes, facts.tested):
        notes.append(f"No held-out record has the class {listed(absent)}.")
    if sum(facts.tested) < _FEW * facts.private.records:
        notes.append(
            "Most held-out records are outside the domains of the release. Check that "
            "both files have the same kind of records, and that values are written the "
            "same way."
        )
    return notes


def _without(classes: Sequence[str], records: Sequence[int]) -> list[str]:
    return [name for name, number in zip(classes, records, strict=True) if not number]


def of_comparison(
    releases: Sequence[ShownRelease],
    needed: Collection[str],
    suppressed: int,
    *,
    parted: bool,
    regression: bool,
    converged: bool,
) -> tuple[str, ...]:
    """Return the notes on releases that were compared with their original.

    `needed` lists the columns of the analyses, and `suppressed` counts the releases whose
    regression does not use all records. `parted` is true if tests of accuracy keep the records of a
    person together. `regression` is true if there is a regression.
    """
    notes = []
    private = [one.name for one in releases if one.private is not None]
    if private:
        notes.append(
            f"The records of {listed(private)} are protected by noise in the counts, not "
            "by a minimum group size. The risk in the table is the risk of the original "
            "records in their groups, before noise is added. The classifier learned from "
            "the whole release, including the noisy counts of the test records."
        )
    if parted:
        notes.append("In each test of accuracy, all records of one person are in the same part.")
    if any(one.counts_people for one in releases):
        notes.append(RISKS_OF_RECORDS)
        if regression:
            notes.append(
                "The 95% intervals of the regression assume that all records are independent. The "
                "records of one person are usually related, so the intervals can be too narrow."
            )
    lacking = {one.name: sorted({*needed} - {*one.released}) for one in releases}
    notes += [f"{name} does not have {listed(them)}." for name, them in lacking.items() if them]
    if not converged:
        notes.append(
            "The regression on the original did not converge. Some values predict the outcome with "
            "certainty, so their coefficients and intervals have no meaning."
        )
    if suppressed:
        number = counted(suppressed, "release")
        notes.append(f"Suppressed records are not used in the regressions of {number}.")
    return tuple(notes)


@dataclass(frozen=True)
class NumbersOfColumn:
    """The number of values in a column, with their mean and standard deviation."""

    records: int
    mean: float
    spread: float


def on_treated(what: str, before: NumbersOfColumn | None, after: NumbersOfColumn | None) -> str:
    """Describe how a column was treated and, if it has numbers, how well they are preserved."""
    if before is None or after is None:
        return f"{what}."
    kept = ""
    if before.spread:
        share = percent((after.spread / before.spread) ** 2)
        kept = f". The release keeps {share} of the original variance"
    return (
        f"{what}. Mean: {after.mean:.4g} of {after.records:,} values (original: {before.mean:.4g} "
        f"of {before.records:,} values). Standard deviation: {after.spread:.4g} (original: "
        f"{before.spread:.4g}){kept}."
    )
