"""The data sets of the benchmarks, and how a table becomes a problem to be searched."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.recoding.protocol import RecodingProblem, recoding_problem
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.verbs.hierarchies import choose_hierarchies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class DataSet:
    """A table of the published benchmarks.

    Attributes
    ----------
    name
        What it is called.
    file, hierarchies
        Where its table and its folder of hierarchies lie in the folder of all data.
    columns
        Its quasi-identifiers in the order of the table.
    added
        The same in the order in which the benchmark adds them.
    """

    name: str
    file: str
    hierarchies: str | None
    columns: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Path of the table."""
        return data_folder() / self.file

    @property
    def hierarchy_folder(self) -> Path | None:
        """Folder of the hierarchies, None for default ones."""
        return None if self.hierarchies is None else data_folder() / self.hierarchies

    def quasi(self, number: int) -> tuple[str, ...]:
        """Give the first so many quasi-identifiers, in the order of the table."""
        chosen = frozenset(self.added[:number])
        return tuple(column for column in self.columns if column in chosen)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ADULT = DataSet(
    "Adult",
    "adult/adult.csv",
    "adult/hierarchies_2016_paper",
    _words(
        "sex age race marital-status education native-country workclass occupation salary-class"
    ),
    _words(
        "age education marital-status native-country race salary-class sex workclass occupation"
    ),
)
CUP = DataSet(
    "Cup",
    "cup/cup.csv.gz",
    "cup/hierarchies",
    _words("ZIP AGE GENDER INCOME STATE RAMNTALL NGIFTALL MINRAMNT"),
    _words("AGE GENDER INCOME MINRAMNT NGIFTALL STATE ZIP RAMNTALL"),
)
FARS = DataSet(
    "Fars",
    "fars/fars.csv.gz",
    "fars/hierarchies",
    _words("iage irace ideathmon ideathday isex ihispanic istatenum iinjury"),
    _words("iage ideathday ideathmon ihispanic iinjury irace isex istatenum"),
)
_ENCOUNTERS = _words(
    "age gender race admission_type_id discharge_disposition_id admission_source_id "
    "time_in_hospital num_lab_procedures num_medications num_procedures number_diagnoses "
    "number_inpatient number_outpatient number_emergency medical_specialty payer_code "
    "A1Cresult insulin diabetesMed readmitted diag_1 max_glu_serum metformin change"
)
DIABETES = DataSet("Diabetes", "diabetes130/diabetic_data.csv.gz", None, _ENCOUNTERS, _ENCOUNTERS)


def data_folder() -> Path:
    """Folder of the real data sets, which the environment names."""
    folder = os.environ.get("ROADSTEAD_DATA")
    if not folder or not Path(folder).is_dir():
        sys.exit("set ROADSTEAD_DATA to the folder of the real data sets")
    return Path(folder)


def summary(path: Path, quasi: Sequence[str]) -> FrequencyTable:
    """Summarize a file."""
    with read(path) as source:
        return summarize(source, quasi)


def problem_of(
    table: FrequencyTable, hierarchies: Path | None, k: int, suppression: float
) -> FullDomainProblem:
    """Make the problem that ``roadstead anonymize`` searches: Iyengar's loss, geometric mean."""
    chosen, _ = choose_hierarchies(table, hierarchies)
    encoding = encode(table, chosen)
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(k),
        quality=Loss(GeometricMean()).bind(encoding),
        limit=int(Fraction(str(suppression)) * table.records),
    )


def recoding_problem_of(
    table: FrequencyTable,
    hierarchies: Path | None,
    k: int,
    suppression: float,
    *,
    intervals: bool,
) -> RecodingProblem:
    """Make the problem that ``roadstead anonymize --recoding`` searches."""
    chosen, _ = choose_hierarchies(table, hierarchies)
    encoding = encode(table, chosen)
    return recoding_problem(
        encoding,
        full_domain(encoding.hierarchies),
        KAnonymity(k),
        k=k,
        limit=int(Fraction(str(suppression)) * table.records),
        intervals=intervals,
    )
