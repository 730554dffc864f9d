"""Describe the proposal of a scan as a list of lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from roadstead.front_end import option, worded
from roadstead.printable import named, printable
from roadstead.reports.opened import described_by, names_given
from roadstead.reports.scan.facts import ColumnProposal, ProposalFacts
from roadstead.reports.scan.remarks import rows_of_several_kinds
from roadstead.reports.wording import counted, first_few
from roadstead.tables.identifiers.findings import ChecklistLine, IdentifierFinding
from roadstead.tables.profile import ColumnProfile

_MOSTLY = 0.9


def proposal_lines(proposal: ProposalFacts) -> list[str]:
    """Return lines about each column and about the identifiers on the Safe Harbor list."""
    decided = [column for column in proposal.columns if column.role is not None]
    width = max((len(printable(column.name)) for column in proposal.columns), default=0)
    undecided = [column for column in proposal.columns if column.role is None]
    return [
        scanned_table(proposal),
        *_codebook(proposal),
        *proposal.noticed,
        *_persons(proposal),
        *(_line(column, width) for column in decided),
        *_unprotected(proposal),
        *_undecided(proposal),
        *(_line(column, width) for column in undecided),
        *_on_safe_harbor(proposal),
    ]


def not_about_a_column(proposal: ProposalFacts) -> list[str]:
    """Return the lines that are not about a single column."""
    return [*proposal.noticed, *_persons(proposal), *_undecided(proposal)]


def key_figures(proposal: ProposalFacts) -> Iterator[str]:
    """Yield the figures for the one-line representation of a proposal."""
    number = Counter(column.role for column in proposal.columns)
    yield f"{proposal.records:,} records"
    yield from (f"{many} {role or 'undecided'}" for role, many in number.items())
    yield f"{len(proposal.safe_harbor)} findings for Safe Harbor"


def written_lines(
    proposal: ProposalFacts, path: Path, files: Path | None, command: str, *, needs_user: bool
) -> Iterator[str]:
    """Describe the files that were written, and the command that uses the project file `path`.

    `files` is the folder with further files of the project. If `needs_user` is true, the address of
    the database lacks a user name.
    """
    if (groups := proposal.groups_file(path)) is not None:
        yield f"Groups of conditions, for roadstead synthesize: {groups}"
    elif proposal.groups is not None:
        yield f"No groups of conditions were written: {proposal.groups.reason}."
    if files is not None:
        yield f"Files of the project, with values that only you may read: {files}"
    yield f"Written to {path}. Read and correct it, then run:"
    if needs_user:
        yield (
            "(The address does not contain a user name. Set PGUSER, or another setting for "
            "the user name.)"
        )
    yield command


def warnings_of(
    column: ColumnProfile,
    role: str | None,
    hierarchy: Mapping[str, Any] | None,
    noticed: Sequence[str],
    *,
    decimal_commas: bool,
) -> Iterator[str]:
    """Yield warnings about values in a column that the user should check.

    A quasi-identifier has too many values if a scan does not propose a hierarchy for it. `noticed`
    contains the sentences about the column that are also in the output.
    """
    if role == "sensitive" and column.is_list and column.uniqueness >= _MOSTLY:
        yield (
            "almost every list is unique: an attacker who knows part of a list may find the person"
        )
    if role == "quasi" and hierarchy is None:
        yield f"about {column.distinct} values: declare a hierarchy"
    if hierarchy == {"kind": "flat"} and decimal_commas:
        yield (
            "numbers with a decimal comma are read as text; to group them into ranges, use "
            f"{option('decimal', 'comma')}"
        )
    code = f"{column.name}={column.marker}"
    if column.marked and not any(code in one for one in noticed):
        yield (
            f'"{column.marker}" in {counted(column.marked, "record")} may mean a missing value; '
            f"if so, use {option('missing', [code])}"
        )


def scanned_table(proposal: ProposalFacts) -> str:
    """Return the name, the format, and the size of the table."""
    source = proposal.source
    left_out = (source.skipped,) if source.skipped else ()
    size = ", ".join(
        (
            f"{source.name}: {source.format.describe()}",
            counted(proposal.records, "record"),
            counted(len(proposal.columns), "column"),
            *left_out,
        )
    )
    return size + names_given(source)


def _codebook(proposal: ProposalFacts) -> list[str]:
    codebook, columns = proposal.source.codebook, proposal.source.columns
    if codebook is None:
        return []
    said = [described_by(proposal.source)]
    for what, names in (
        ("Not described by the codebook", codebook.lacking(columns)),
        ("Described by the codebook, but not in the table", codebook.absent(columns)),
    ):
        if names:
            said.append(f"  {what} ({len(names):,}): {first_few([*map(named, names)])}")
    if proposal.codebook_missing:
        counts = [
            f"{named(entry)} ({counted(number, 'value')})"
            for entry, number in proposal.codebook_missing.items()
        ]
        said.append(
            f"  Missing codes from the codebook, listed in the project file: {first_few(counts)}"
        )
    return said


def _on_safe_harbor(proposal: ProposalFacts) -> list[str]:
    wide = max((len(line.identifier) for line in proposal.checklist), default=0)
    return [
        *_safe_harbor(proposal.safe_harbor),
        "Checklist of the 18 identifiers, from column names and samples of values",
        *(
            f"  {line.number:>2} {line.identifier:<{wide}}  {answer(line)}"
            for line in proposal.checklist
        ),
    ]


def answer(line: ChecklistLine) -> str:
    """Describe in which columns the scan found an identifier."""
    where = f" in {', '.join(line.columns)}" if line.columns else ""
    return f"{line.describe()}{where}" + (f" ({line.note})" if line.note else "")


def _persons(proposal: ProposalFacts) -> list[str]:
    if proposal.person is None:
        return [
            f"People: {printable(name)} may be the person ID, because its values repeat and other "
            "columns are constant for each value. Give it the role person, to count people "
            "instead of records"
            for name in proposal.likely_persons[:1]
        ]
    name = printable(proposal.person)
    kinds = proposal.kinds_of_rows
    return [
        f"People: {name} is the person ID column, so people are counted instead of records",
        *([rows_of_several_kinds(kinds)] if kinds else []),
    ]


def _line(column: ColumnProposal, width: int) -> str:
    profile = column.profile
    missing = f", {profile.missing:,} missing" if profile.missing else ""
    warning = f" - {column.warning}" if column.warning else ""
    role = "" if column.role is None else f"{column.role:<11}  "
    return (
        f"  {printable(column.name):<{width}}  {role}{column.reason}; "
        f"about {counted(profile.distinct, 'value')}{missing}{warning}"
    )


def _undecided(proposal: ProposalFacts) -> list[str]:
    columns = [column for column in proposal.columns if column.role is None]
    if not columns:
        return []
    have = "column has" if len(columns) == 1 else "columns have"
    return [
        f"Undecided: {len(columns):,} {have} no role yet. Columns without a role are withheld.",
        worded(
            command="To release a column, give it a role in the project file",
            python='To release a column, give it a role with deciding({"COLUMN": "unchanged"})',
        ),
    ]


def _unprotected(proposal: ProposalFacts) -> list[str]:
    """Warn about sensitive values that neither k-anonymity nor a proposed model protects."""
    models = proposal.settings.get("privacy", {}).get("models", ())
    bounded = {one["column"] for one in models if "column" in one}
    names = [name for name in proposal.names("sensitive") if name not in bounded]
    if not names:
        return []
    model = option("privacy", {"kind": "distinct-l-diversity", "column": names[0], "l": 2})
    return [
        f"k-anonymity does not protect the values of {first_few([*map(named, names)])}: if all "
        "records of a group have the same value, an attacker learns the value without finding "
        f"the record. To require two values in each group, use, for example, {model}."
    ]


def _safe_harbor(found: Sequence[IdentifierFinding]) -> list[str]:
    if not found:
        return ["HIPAA Safe Harbor: no column looks like one of its 18 identifiers"]
    columns = len({finding.column for finding in found})
    width = max(len(printable(finding.column)) for finding in found)
    identifiers = [f"{finding.number:>2} {finding.identifier}" for finding in found]
    wide = max(map(len, identifiers))
    look = "looks" if columns == 1 else "look"
    return [
        f"HIPAA Safe Harbor: {counted(columns, 'column')} {look} like one of its 18 identifiers",
        *(
            f"  {printable(finding.column):<{width}}  {identifier:<{wide}}  {finding.remedy} "
            f"({finding.why})"
            for finding, identifier in zip(found, identifiers, strict=True)
        ),
    ]
