"""Problems of paper 003's benchmark on the real tables, with a growing number of attributes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.reading import read


@dataclass(frozen=True)
class Table:
    """Where a table and its hierarchies lie, its columns, and the order in which they join."""

    file: str
    hierarchies: str
    columns: str
    order: str

    def first(self, number: int) -> tuple[str, ...]:
        """Name the attributes that join first, in the order of the columns."""
        joined = self.order.split()[:number]
        return tuple(column for column in self.columns.split() if column in joined)


TABLES = {
    "adult": Table(
        "adult/adult.csv",
        "adult/hierarchies_2016_paper",
        "sex age race marital-status education native-country workclass occupation salary-class",
        "age education marital-status native-country race salary-class sex workclass occupation",
    ),
    "cup": Table(
        "cup/cup.csv.gz",
        "cup/hierarchies",
        "ZIP AGE GENDER INCOME STATE RAMNTALL NGIFTALL MINRAMNT",
        "AGE GENDER INCOME MINRAMNT NGIFTALL STATE ZIP RAMNTALL",
    ),
    "fars": Table(
        "fars/fars.csv.gz",
        "fars/hierarchies",
        "iage irace ideathmon ideathday isex ihispanic istatenum iinjury",
        "iage ideathday ideathmon ihispanic iinjury irace isex istatenum",
    ),
}


@cache
def _table(path: Path, columns: str) -> FrequencyTable:
    with read(path) as source:
        return summarize(source, columns.split())


def published(
    data_dir: Path, name: str, number: int, *, k: int = 5, suppression: str = "0.05"
) -> FullDomainProblem:
    """Make the problem of a table with so many attributes: k-anonymity, geometric mean."""
    table = TABLES[name]
    attributes = table.first(number)
    found = find_hierarchies(data_dir / table.hierarchies, attributes)
    encoding = encode(
        _table(data_dir / table.file, table.columns).project(attributes),
        [read_hierarchy(found[attribute], attribute) for attribute in attributes],
    )
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(k),
        quality=Loss(GeometricMean()).bind(encoding),
        limit=int(Fraction(suppression) * encoding.records),
    )
