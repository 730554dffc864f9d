"""Describe a release in sentences that report only the measured figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from roadstead.reports.wording import counted, decimal, format_count, listed, odds, weighted

if TYPE_CHECKING:
    from roadstead.policies.classes import Classes
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class Summary:
    """The description of a release in four short paragraphs. A paragraph may be empty."""

    removed: str  # the records, and the people if they are counted
    columns: str
    risk: str
    loss: str


def summary(content: ReportContent) -> Summary:
    """Describe a release in short paragraphs about removed records, columns, risk, and loss."""
    columns = f"{_attributes(content.attributes)} {_other_columns(content.columns)}".strip()
    loss = "The loss was not measured."
    if content.loss is not None:
        proven = "" if content.search is None else proof(content.loss, content.search)
        how = weighted({one.name: one.weight for one in content.attributes})
        how = f"The columns are weighted: {how}." if how else ""
        loss = " ".join(filter(None, (lost(content.loss), how, proven)))
    if (persons := content.persons) is None:
        return Summary(_records(content), columns, _risk(content), loss)
    removed = _persons(content.source, content.counts, persons)
    return Summary(removed, columns, _found(persons), loss)


def proof(loss: ReportedLoss, search: ReportedSearch) -> str:
    """Say what is proven about the policy."""
    if search.frontier:
        return (
            "The policy was chosen from a frontier: the search found no policy that has both less "
            "risk and less loss. Policies that the search did not evaluate may have both."
        )
    if search.recoding:
        return _proof_of_recoding(loss, narrowed=search.narrowed)
    policies = counted(search.lattice_size, "policy", "policies")
    if loss.optimal:
        lattice = "one level of each hierarchy for all records"
        if search.cuts:
            lattice = "ordered values, cut in the same places for all records"
        return (
            f"The policy is optimal among the {policies} of the lattice ({lattice}): no other "
            "policy that meets the privacy requirements within the suppression limit has a lower "
            "loss by this measure. A method that treats some records differently could lose less."
        )
    if search.ending == "complete":
        ended = "The search is complete, but it does not prove that the policy is optimal"
    else:
        reason = {
            "time limit": "it reached the time limit",
            "interrupted": "it was interrupted",
        }.get(search.ending, f"it ended ({search.ending})")
        ended = f"The search stopped before a proof was complete, because {reason}"
    if loss.gap is None or not loss.bounded:
        return f"{ended}. A better policy may exist. It is not known how much better it is."
    return (
        f"{ended}. A better policy, if there is one, could avoid at most "
        f"{percent(loss.gap, bound='upper')} of the loss."
    )


def _proof_of_recoding(loss: ReportedLoss, *, narrowed: bool) -> str:
    """Return a bound on the loss that another release of this kind could avoid."""
    kind = "release of this kind" + (" within the allowed levels" if narrowed else "")
    if loss.gap is None or not loss.bounded:
        return f"It is not known how much lower the loss of another {kind} could be."
    if loss.optimal:
        return f"It is proven that no {kind} has a lower loss."
    return (
        f"It is proven that another {kind} could avoid at most "
        f"{percent(loss.gap, bound='upper')} of the loss."
    )


def lost(loss: ReportedLoss) -> str:
    """Describe the loss in the words of the quality model. A report rounds the loss."""
    said = loss.measure.sentence.format(share=about(loss.total), target=loss.target)
    if not 0.0 < loss.total < 1.0:
        return said
    return f"{said} The report rounds this figure, because {WHY_ROUNDED}."


def _records(content: ReportContent) -> str:
    counts = content.counts
    number, rest = counts.suppressed, counts.generalized
    if not number:
        return f"No record of {content.source} was suppressed."
    return (
        f"{format_count(number)} of {counted(counts.records, 'record')} in {content.source} "
        f"({percent(counts.suppressed_share)}) {_was(number)} suppressed{_reason(content)}. "
        f"{_fate(counts)}{_others(rest)}"
    )


def _others(rest: int) -> str:
    if not rest:
        return ""
    return (
        f" The other {counted(rest, 'record')} {_are(rest)} released with the values described "
        "below."
    )


def _reason(content: ReportContent) -> str:
    """Say why records were suppressed.

    If there are several reasons, give the number of records for each reason.
    """
    counts = content.counts
    models = " or ".join(guarantee.name for guarantee in content.guarantees)
    none = f"the policy does not cover {_their(counts.uncovered)} values"
    if counts.in_no_class:
        none = f"no group of the policy contains {_their(counts.uncovered)} values"
    reasons = [
        (number, reason)
        for number, reason in (
            (counts.too_few, f"{_their(counts.too_few)} group is too small"),
            (counts.failing, f"{_their(counts.failing)} group does not meet {models}"),
            (counts.uncovered, none),
        )
        if number
    ]
    if len(reasons) == 1:
        return f" because {reasons[0][1]}"
    return f": {listed([f'{format_count(number)} because {reason}' for number, reason in reasons])}"


def _their(number: int) -> str:
    return "its" if number == 1 else "their"


def _persons(source: str, counts: RecordCounts, persons: ReportedPersons) -> str:
    if counts.shifted_out:
        gone = counted(counts.shifted_out, "record")
        people = counted(persons.persons + counts.persons_shifted_out, "person", "people")
        before = (
            f"The shift of dates left out {gone} near or beyond the ends of the date range. This "
            f"includes all records of {format_count(counts.persons_shifted_out)} of {people}. "
        )
        left = replace(counts, shifted_out=0)
        return before + _persons(f"the other records of {source}", left, persons)
    if not counts.dropped:
        return f"All {counted(persons.persons, 'person', 'people')} of {source} are released."
    why = "because the release could not meet the privacy requirements with them"
    if persons.whole:
        gone = (
            f"{format_count(persons.left_out)} of {counted(persons.persons, 'person', 'people')} "
            f"in {source} ({percent(persons.left_out / max(persons.persons, 1))}) "
            f"{_are(persons.left_out)} left out with all their records "
            f"({format_count(counts.dropped)} of {format_count(counts.records)}), {why}."
        )
    else:
        gone = (
            f"{format_count(counts.dropped)} of {counted(counts.records, 'record')} in {source} "
            f"{_are(counts.dropped)} left out, {why}. "
            f"{format_count(persons.left_out)} of {counted(persons.persons, 'person', 'people')} "
            f"{'has' if persons.left_out == 1 else 'have'} no other record, so they are left out "
            f"too. {counted(persons.in_part, 'other person', 'other people')} lost some records."
        )
    records = counted(counts.released, "record")
    return (
        f"{gone} {counted(persons.released, 'person', 'people')} with {records} "
        f"{_are(persons.released)} released with the values described below."
    )


def _found(persons: ReportedPersons) -> str:
    """Say how likely an attacker is to find a person."""
    before, after = persons.before, persons.after
    if not after.persons:
        return "No person is in the release, so an attacker cannot find anyone."
    was = ""
    if before is not None:
        was = (
            f" In the source, the probability was up to {odds(before.maximum, bound='upper')}, and "
            f"the average was {odds(before.average)}."
        )
    return (
        f"An attacker who knows all quasi-identifiers in {persons.known} of a person in the "
        f"release picks the right person with a probability of at most "
        f"{odds(after.maximum, bound='upper')}. The average probability is "
        f"{odds(after.average)}.{was}"
    )


def _fate(counts: RecordCounts) -> str:
    if counts.masked and counts.dropped:
        return (
            f"{counted(counts.masked, 'suppressed record')} {_are(counts.masked)} kept with * in "
            f"every quasi-identifier, and {format_count(counts.dropped)} {_are(counts.dropped)} "
            "left out."
        )
    if counts.masked:
        kept = "It is kept" if counts.masked == 1 else "They are kept"
        return f"{kept} with * in every quasi-identifier."
    return "It is left out." if counts.dropped == 1 else "They are left out."


def _attributes(attributes: Sequence[Attribute]) -> str:
    kept = sum(a.kept for a in attributes)
    removed = sum(a.removed for a in attributes)
    coarser = len(attributes) - kept - removed
    parts = [
        f"{format_count(number)} {_are(number)} {what}"
        for number, what in (
            (kept, "released unchanged"),
            (coarser, "made coarser"),
            (removed, "removed completely"),
        )
        if number
    ]
    if not parts:
        return ""
    return (
        "Quasi-identifiers are columns that an attacker may know about a person. The release has "
        f"{counted(len(attributes), 'quasi-identifier')}: {listed(parts)}."
    )


def _other_columns(columns: ReportedColumns) -> str:
    gone = len(columns.identifiers) + len(columns.withheld) + (columns.person is not None)
    kinds = (columns.sensitive, columns.unchanged, columns.forced, columns.unnamed)
    parts = [
        f"{format_count(number)} {_are(number)} {what}"
        for number, what in (
            (len(columns.treated), "microaggregated or rounded"),
            (len(columns.replaced), "replaced with pseudonyms or changed dates"),
            (sum(map(len, kinds)), "released unchanged"),
            (gone, "not released"),
        )
        if number
    ]
    return f"Other columns: {listed(parts)}." if parts else ""


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _risk(content: ReportContent) -> str:
    said = f" The probability of a right guess is {content.of_masked}."
    star = said if content.of_masked else ""
    if not content.classes_after:
        return (
            "No record is released with its quasi-identifiers, so an attacker cannot use "
            f"them to find a record.{star}"
        )
    after, before = content.risk_after, content.risk_before
    if after.maximum >= 1.0:
        return (
            f"{counted(after.uniques, 'record')} of the release "
            f"{'differs' if after.uniques == 1 else 'differ'} from every other record in "
            "the quasi-identifiers. If an attacker knows these values for such a person, "
            "and knows that the person is in the data, the attacker finds the record with "
            "certainty. The privacy requirements do not limit the risk of individual "
            "records."
        )
    return (
        "If an attacker knows all quasi-identifiers of a person, and knows that the person has "
        "one record in the data, the attacker picks the right record with a probability of at most "
        f"{odds(after.maximum, bound='upper')}.{star} The average probability is "
        f"{odds(after.average)}. In the source, the probability was up to "
        f"{odds(before.maximum, bound='upper')}, and the average was {odds(before.average)}."
    )


def measured(model: PrivacyModel, table: FrequencyTable, classes: Classes) -> Measured | None:
    """Return the figure of the group that is closest to the limit of a model.

    Return None if the model does not have a figure, or if nothing is released.
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
