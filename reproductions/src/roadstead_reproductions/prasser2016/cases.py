"""The available data sets of paper 003, as problems for any subset of their attributes.

The data sets are Adult, Cup, and Fars. The problems use k = 5, a suppression limit of 5%, and
Iyengar's loss under the shifted geometric mean. The attributes are added in the order of the
published experiments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.reading import read
from roadstead_reproductions.datasets import data_set
from roadstead_reproductions.survey import Survey

K = 5
SUPPRESSION = Fraction(5, 100)


@dataclass(frozen=True)
class Case:
    """A table with hierarchies for all attributes.

    `hierarchies` are in the order of the table, and `added` lists the attributes in the order in
    which experiments add them.
    """

    name: str
    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    added: tuple[str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Return the quasi-identifiers, in the order of the table."""
        return self.table.attributes

    def of(self, attributes: tuple[str, ...]) -> Case:
        """Return the case for some of the attributes, in the order of the table."""
        wanted = tuple(name for name in self.attributes if name in attributes)
        own = {h.attribute: h for h in self.hierarchies}
        return replace(
            self,
            table=self.table.project(wanted),
            hierarchies=tuple(own[name] for name in wanted),
            added=tuple(name for name in self.added if name in wanted),
        )

    def first(self, number: int) -> Case:
        """Return the case for the attributes that are added first."""
        return self.of(self.added[:number])

    def problem(self) -> FullDomainProblem:
        """Return the problem for the searches."""
        encoding = encode(self.table, self.hierarchies)
        return FullDomainProblem(
            encoding=encoding,
            space=full_domain(encoding.hierarchies),
            privacy=KAnonymity(K),
            quality=Loss(GeometricMean()).bind(encoding),
            limit=int(SUPPRESSION * self.table.records),
        )


@dataclass(frozen=True)
class _Origin:
    """The files of a data set in its folder, and the order of its attributes."""

    folder: str
    table: str
    hierarchies: str
    columns: str
    added: str


_ORIGINS = {
    "Adult": _Origin(
        "adult",
        "adult.csv",
        "hierarchies_2016_paper",
        "sex age race marital-status education native-country workclass occupation salary-class",
        "age education marital-status native-country race salary-class sex workclass occupation",
    ),
    "Cup": _Origin(
        "cup",
        "cup.csv",
        "hierarchies",
        "ZIP AGE GENDER INCOME STATE RAMNTALL NGIFTALL MINRAMNT",
        "AGE GENDER INCOME MINRAMNT NGIFTALL STATE ZIP RAMNTALL",
    ),
    "Fars": _Origin(
        "fars",
        "fars.csv",
        "hierarchies",
        "iage irace ideathmon ideathday isex ihispanic istatenum iinjury",
        "iage ideathday ideathmon ihispanic iinjury irace isex istatenum",
    ),
}
NAMES = tuple(_ORIGINS)


def load(name: str) -> Case:
    """Read one of the data sets in `NAMES`.

    The function raises a SourceError if the data set is not available, and a MissingExtraError if
    the library for fetching data is not installed.
    """
    origin = _ORIGINS[name]
    folder = data_set(origin.folder)
    columns = tuple(origin.columns.split())
    with read(_plain_or_zipped(folder / origin.table)) as source:
        table = summarize(source, columns)
    files = find_hierarchies(folder / origin.hierarchies, columns)
    hierarchies = tuple(
        read_hierarchy(files[column], column).covering(domain)
        for column, domain in zip(columns, table.domains, strict=True)
    )
    return Case(name, table, hierarchies, tuple(origin.added.split()))


def made_up(survey: Survey, name: str = "Survey") -> Case:
    """Return a made-up survey as a data set, with the attributes in the survey's order."""
    return Case(name, survey.table, survey.hierarchies, survey.table.attributes)


def _plain_or_zipped(path: Path) -> Path:
    """Return the file that exists. The public copy is plain, but a local copy may be gzipped."""
    zipped = path.with_name(f"{path.name}.gz")
    return zipped if zipped.exists() and not path.exists() else path
