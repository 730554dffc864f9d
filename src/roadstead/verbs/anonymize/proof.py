"""Create the confidential file with the proof that a policy is optimal.

The modules that generate proofs are imported only if a proof is requested.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import OutputError, SettingError, quoted
from roadstead.front_end import option
from roadstead.policies.full_domain import Levels
from roadstead.privacy.combination import columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.by_attribute import RecordSums
from roadstead.quality.protocol import QualityModel
from roadstead.release.certificate import in_release
from roadstead.release.secret_files import write_new
from roadstead.reports.wording import listed
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.protocol import Control, Outcome
from roadstead.tables.dialect import Dialect
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.missing_codes import missing_codes, spellings
from roadstead.tables.persons.profiles import PersonTable
from roadstead.tables.source import Csv, Source

if TYPE_CHECKING:
    from roadstead.search.optimality_proof import ExactMean
    from roadstead.search.proof_document import ProofTerms, ReadingOfTable


def require_proof(
    path: Path, out: Path | None, quality: QualityModel, attributes: int, columns: Sequence[str]
) -> ExactMean:
    """Before any work, reject a proof that cannot be written. Return the mean that a proof uses.

    A proof file in the folder of a release is refused, because the recipient would get the file.
    `columns` are the columns whose values the requirements count.
    """
    from roadstead.search.optimality_proof import ExactMean  # noqa: PLC0415 - for proofs only

    if in_release(path, out):
        raise SettingError(
            "this file would be in the folder of a release, but a proof contains values of the "
            "original table",
            where=option("proof", str(path)),
            fix="choose a file in another folder",
        )
    if path.exists():
        raise _taken(path)
    if not path.parent.is_dir():
        raise OutputError(
            "its folder does not exist", where=str(path), fix=f"create {path.parent} first"
        )
    if len(columns) > 1:
        raise SettingError(
            "a proof of optimality can count the values of only one column, but the privacy "
            f"models count the values of {listed(columns)}",
            where=option("proof"),
            fix="leave the proof out, or use privacy models for one of these columns only",
        )
    if not isinstance(quality, RecordSums):  # other losses are rejected earlier
        raise TypeError
    return ExactMean.of(quality.aggregate, attributes)


def require_plain_text(source: Source, codes: Sequence[str], used: Sequence[str]) -> None:
    """Reject a table if the checking program and Roadstead would read different values from it.

    The program compares text. It does not apply Roadstead's rules for numbers and ranges.
    """
    written = source.format.dialect if isinstance(source.format, Csv) else Dialect()
    numbers = (*written.decimal_commas, *source.digit_groups)
    changed: tuple[tuple[str, str, Collection[str]], ...] = (
        (
            "numbers without decimal commas or thousands separators",
            "write the numbers with a decimal point in the file",
            numbers,
        ),
        (
            "whole codes, not codes such as 91911.0",
            "write the codes without decimals in the file",
            source.whole_codes,
        ),
        (
            "single codes for missing values, not a range",
            "name each code",
            missing_codes((*codes, *source.codebook_missing), source.columns).ranges,
        ),
        ("a name for each column", "name each column in the header", source.named_by_us),
    )
    for need, fix, columns in changed:
        if found := [name for name in used if name in columns]:
            what = f"a proof of optimality needs {need}; check {listed([*map(quoted, found)])}"
            raise SettingError(what, where=option("proof"), fix=f"{fix}, or leave out the proof")
    if source.skipped and isinstance(source.format, Csv):
        raise SettingError(
            "a proof of optimality needs a file without skipped rows",
            where=option("proof"),
            fix=f"remove these rows from the file instead of using {option('skip_rows')}",
        )


def proof_of(
    problem: FullDomainProblem,
    outcome: Outcome[Levels],
    mean: ExactMean,
    terms: ProofTerms,
    reading: ReadingOfTable,
    control: Control,
) -> bytes | None:
    """Prove that a policy is optimal. Return None if the search or the proof was stopped."""
    from roadstead.search.optimality_proof import prove  # noqa: PLC0415 - for proofs only
    from roadstead.search.proof_document import proof_bytes  # noqa: PLC0415 - the same

    if outcome.best is None or not outcome.proven:
        return None
    proof = prove(problem, mean, outcome.best, control.stopped)
    return None if proof is None else proof_bytes(problem, outcome.best, proof, terms, reading)


def counted_columns(models: Sequence[PrivacyModel], table: FrequencyTable) -> tuple[str, ...]:
    """Return the columns whose values are counted: a sensitive column, or the person ID."""
    return (table.persons.column,) if isinstance(table, PersonTable) else columns_of(models)


def terms_of(
    models: Sequence[PrivacyModel], table: FrequencyTable, suppression: float
) -> ProofTerms:
    """Return the privacy requirements of a proof. They count the values of at most one column."""
    from roadstead.search.proof_document import (  # noqa: PLC0415 - for proofs only
        ProofTerms,
        proof_requirement,
    )

    requirements = tuple(proof_requirement(model, table) for model in models)
    return ProofTerms(requirements, suppression, *counted_columns(models, table))


def reading_of(source: Source, codes: Sequence[str], used: Sequence[str]) -> ReadingOfTable:
    """Describe how to read the table that belongs to a proof.

    A table that is not a single text file must be exported as CSV.
    """
    from roadstead.search.proof_document import ReadingOfTable  # noqa: PLC0415 - for proofs only

    known = missing_codes((*codes, *source.codebook_missing), source.columns)
    by_column = {name: (*known.everywhere, *known.of_column.get(name, ())) for name in used}
    missing = {
        name: tuple(text for code in own for text in spellings(code))
        for name, own in by_column.items()
        if own
    }
    if (file := text_file_of(source)) is None:
        return ReadingOfTable(missing=missing)
    return ReadingOfTable(file.delimiter, file.quote, file.encoding, file.header, missing)


def text_file_of(source: Source) -> Dialect | None:
    """Return the dialect of a table in a single text file, which may be in an archive."""
    if not isinstance(source.format, Csv) or source.path is None or source.path.is_dir():
        return None
    return source.format.dialect


def write_proof(path: Path, proof: bytes | None) -> None:
    """Write the proof, if any, to a new file that only the owner can read."""
    if proof is not None:
        write_new(path, proof, taken=_taken(path))


def _taken(path: Path) -> OutputError:
    return OutputError("exists already", where=str(path), fix="choose a new file for the proof")
