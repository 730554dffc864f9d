"""What was done, in sentences that say the measured figures and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roadstead.reports.content import (
    Attribute,
    Measured,
    RecordCounts,
    ReportContent,
    ReportedColumns,
    ReportedLoss,
    ReportedPersons,
    ReportedSearch,
)
from roadstead.reports.numbers import percent
from roadstead.reports.rounded import WHY_ROUNDED, about
from roadstead.reports.wording import counted, decimal, format_count, listed, odds

if TYPE_CHECKING:
    from roadstead.policies.classes import Classes
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.tables.frequency import FrequencyTable


def summary(content: ReportContent) -> tuple[str, ...]:
    """Tell the release in a few short paragraphs: records, columns, risk, loss."""
    columns = f"{_attributes(content.attributes)} {_other_columns(content.columns)}".strip()
    loss = "What the release loses was not measured."
    if content.loss is not None:
        proven = "" if content.search is None else proof(content.loss, content.search)
        loss = f"{lost(content.loss)} {proven}".strip()
    if (persons := content.persons) is None:
        told = (_records(content), columns, _risk(content), loss)
    else:
        told = (_persons(content.source, content.counts, persons), columns, _found(persons), loss)
    return tuple(paragraph for paragraph in told if paragraph)


def proof(loss: ReportedLoss, search: ReportedSearch) -> str:
    """Say what is proven of the policy."""
    if search.frontier:
        return (
            "The policy was chosen on a frontier: no policy that the search met has both less risk "
            "and less loss. One that it did not meet may have."
        )
    if search.recoding:
        return _proof_of_recoding(loss, narrowed=search.narrowed)
    policies = counted(search.lattice_size, "policy", "policies")
    if loss.optimal:
        lattice = "these hierarchies, one level of each for all records"
        if search.cuts:
            lattice = "these orders of values, each cut in the same places for all records"
        return (
            f"The policy is optimal among the {policies} of the lattice ({lattice}): by "
            "this measure, none that keeps the promise within the suppression limit loses less. "
            "Another kind of recoding could, such as one that treats some records otherwise."
        )
    if search.ending == "complete":
        ended = "The search ended by itself, and proves no more"
    else:
        reason = {
            "time limit": "because the time limit was reached",
            "interrupted": "because it was interrupted",
        }.get(search.ending, f"({search.ending})")
        ended = f"The search ended {reason} before a proof was complete"
    if loss.gap is None or not loss.bounded:
        return f"{ended}: a better policy may exist, and by how much is not known."
    return (
        f"{ended}: a better policy, if there is one, could avoid at most "
        f"{percent(loss.gap, bound='upper')} of the loss."
    )


def _proof_of_recoding(loss: ReportedLoss, *, narrowed: bool) -> str:
    """Say how much less another release with such classes could lose."""
    kind = (
        "release of this kind, with the levels that are allowed,"
        if narrowed
        else ("release of this kind")
    )
    if loss.gap is None or not loss.bounded:
        return f"How much less another {kind} could lose is not known."
    if loss.optimal:
        return f"It is proven that no {kind} loses less."
    return (
        f"It is proven that another {kind} could avoid at most "
        f"{percent(loss.gap, bound='upper')} of the loss."
    )


def lost(loss: ReportedLoss) -> str:
    """Say what was lost, in the words of the measure; a report rounds it."""
    said = loss.measure.sentence.format(share=about(loss.total), target=loss.target)
    return f"{said} This is rounded, because {WHY_ROUNDED}." if 0.0 < loss.total < 1.0 else said


def _records(content: ReportContent) -> str:
    counts = content.counts
    number, rest = counts.suppressed, counts.generalized
    of_all = f"Of the {counted(counts.records, 'record')} in {content.source}"
    if not number:
        return f"{of_all}, none had to be suppressed."
    others = (
        f" The other {format_count(rest)} {_are(rest)} released with the values described below."
    )
    return (
        f"{of_all}, {format_count(number)} ({percent(counts.suppressed_share)}) "
        f"{'was' if number == 1 else 'were'} suppressed{_reason(content)}: {_fate(counts)}."
        f"{others if rest else ''}"
    )


def _reason(content: ReportContent) -> str:
    """Say why records were suppressed; with several reasons, how many for each."""
    counts = content.counts
    models = " or ".join(guarantee.name for guarantee in content.guarantees)
    none = f"the policy does not cover {_their(counts.uncovered)} values"
    if counts.in_no_class:
        none = f"no class of the policy shows {_their(counts.uncovered)} values"
    reasons = [
        (number, reason)
        for number, reason in (
            (counts.too_few, "too few others look the same"),
            (counts.failing, f"{_their(counts.failing)} class does not satisfy {models}"),
            (counts.uncovered, none),
        )
        if number
    ]
    if len(reasons) == 1:
        return f" because {reasons[0][1]}"
    return f", {listed([f'{format_count(number)} because {reason}' for number, reason in reasons])}"


def _their(number: int) -> str:
    return "its" if number == 1 else "their"


def _persons(source: str, counts: RecordCounts, persons: ReportedPersons) -> str:
    """Say how many persons and records are released, and what was left out."""
    of = (
        f"Of the {counted(persons.persons, 'person')} with {counted(counts.records, 'record')} in "
        f"{source}, "
    )
    if not counts.dropped:
        return f"{of}all are released, with the values described below."
    why = "because the promise could not be kept for them"
    if persons.whole:
        gone = (
            f"{format_count(persons.left_out)} "
            f"({percent(persons.left_out / max(persons.persons, 1))}) "
            f"{_are(persons.left_out)} left out with all their records "
            f"({format_count(counts.dropped)}), {why}."
        )
    else:
        gone = (
            f"{counted(counts.dropped, 'record')} {_are(counts.dropped)} left out, {why}; "
            f"{counted(persons.left_out, 'person')} {'has' if persons.left_out == 1 else 'have'} "
            "no other."
        )
    records = counted(counts.released, "record")
    return (
        f"{of}{gone} {counted(persons.released, 'person')} with {records} "
        f"{_are(persons.released)} released with the values described below."
    )


def _found(persons: ReportedPersons) -> str:
    """Say how likely a person is found."""
    before, after = persons.before, persons.after
    if not after.persons:
        return "Nobody is released, so nobody can be found."
    was = ""
    if before is not None:
        was = f"; in the source it was {odds(before.maximum, bound='upper')}"
    return (
        f"Somebody who knows all quasi-identifiers of {persons.known} of a person who is in the "
        f"release picks the right person with a probability of at most "
        f"{odds(after.maximum, bound='upper')}{was}."
    )


def _fate(counts: RecordCounts) -> str:
    if counts.masked and counts.dropped:
        return (
            f"{counted(counts.masked, 'row')} with * for every quasi-identifier "
            f"{'stays' if counts.masked == 1 else 'stay'} and {format_count(counts.dropped)} "
            f"{_are(counts.dropped)} left out"
        )
    if counts.masked:
        row = "its row stays" if counts.masked == 1 else "their rows stay"
        return f"{row}, with * for every quasi-identifier"
    return "it is left out" if counts.dropped == 1 else "they are left out"


def _attributes(attributes: Sequence[Attribute]) -> str:
    kept = sum(a.kept for a in attributes)
    removed = sum(a.removed for a in attributes)
    coarser = len(attributes) - kept - removed
    parts = [
        f"{format_count(number)} {_are(number)} {what}"
        for number, what in (
            (kept, "kept as it is" if kept == 1 else "kept as they are"),
            (coarser, "made coarser"),
            (removed, "removed altogether"),
        )
        if number
    ]
    if not parts:
        return ""
    return (
        f"Of the {counted(len(attributes), 'quasi-identifier')} (what others may know of a "
        f"person), {listed(parts)}."
    )


def _other_columns(columns: ReportedColumns) -> str:
    gone = len(columns.identifiers) + len(columns.withheld)
    kinds = (columns.sensitive, columns.unchanged, columns.forced, columns.unnamed)
    unchanged, treated = sum(map(len, kinds)), len(columns.treated)
    if not gone + unchanged + treated:
        return ""
    rounded = (
        f"{format_count(treated)} {_are(treated)} microaggregated or rounded, " if treated else ""
    )
    return (
        f"Of the other columns, {rounded}{format_count(unchanged)} {_are(unchanged)} released "
        f"unchanged and {format_count(gone)} {_are(gone)} not released."
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _risk(content: ReportContent) -> str:
    if not content.classes_after.histogram:
        return "No record is released with its quasi-identifiers, so none can be found by them."
    after, before = content.risk_after.maximum, content.risk_before.maximum
    alone = content.risk_after.uniques
    if after >= 1.0:
        return (
            f"{counted(alone, 'record')} of the release {_are(alone)} like no other in the "
            "quasi-identifiers. Somebody who knows these of such a person, and that the person is "
            "in the data, finds the record for certain: for single records the promise bounds "
            "nothing."
        )
    return (
        "Somebody who knows all quasi-identifiers of a person, and that the person is in the "
        f"data with one record, picks the right record with a probability of at most "
        f"{odds(after, bound='upper')}; in the source it was {odds(before, bound='upper')}."
    )


def measured(model: PrivacyModel, table: FrequencyTable, classes: Classes) -> Measured | None:
    """Say how near the released classes come to what a model allows, by a figure of its own.

    It is of the class nearest to the bound; None without one, or where nothing is released.
    """
    figure = model.figure(table, classes) if classes.sizes.size else None
    if figure is None:
        return None
    match figure.found:
        case (least, most):
            found = f"{decimal(least)} to {decimal(most)}"
        case str(text):
            found = text
        case number:
            found = decimal(number)
    return Measured(figure.what.format(*map(decimal, figure.amounts)), found, figure.allowed)
