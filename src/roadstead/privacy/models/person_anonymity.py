"""k-anonymity of people: an attacker's knowledge about a person matches at least k people.

The attacker knows one row of a person, up to three rows, or all rows. If the attacker knows all
rows, the model is multirelational k-anonymity (Nergiz, Clifton, and Nergiz, TKDE 2009). If the
attacker knows some rows, the model is k^m-anonymity (Terrovitis, Mamoulis, and Kalnis, VLDB 2008).

If an attacker knows several rows together, each person is released or suppressed with all rows
(`search.left_out`). If an attacker knows one row, individual rows can be suppressed instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature, Reason, supporting
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.kernels.person_rows import persons_of_classes
from roadstead.policies.classes import Classes
from roadstead.privacy.model_capabilities import INFERRED
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import Monotone, PrivacyModel
from roadstead.risk.persons.prosecutor import require_known
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import Persons, PersonTable

Known: TypeAlias = int | Literal["all"]
"""The number of a person's rows that an attacker may know."""
_ROWS = {1: "one row", 2: "two rows", 3: "three rows", "all": "all rows"}


@dataclass(frozen=True)
class PersonAnonymity(PrivacyModel):
    """At least `k` people match what an attacker may know about a person.

    Raises
    ------
    SettingError
        If k is below 2, if an attacker cannot know this number of rows, or if individual rows are
        suppressed although an attacker knows several rows together.
    """

    k: int
    person: str
    knows: Known = 1
    leaves_out: Literal["persons", "rows"] = "persons"
    kind: ClassVar[str] = "person-anonymity"
    sources: ClassVar[tuple[str, ...]] = ("multirelational", "terrovitis")

    def __post_init__(self) -> None:
        KAnonymity(self.k)  # rejects a k that gives no protection
        require_known(self.knows)
        if self.leaves_out == "rows" and self.knows != 1:
            raise SettingError(
                "single rows cannot be left out if an attacker may know several rows of a "
                "person: two sets of rows that are each safe may not be safe together",
                where=option("leave_out"),
                fix=(
                    "leave out people with all their rows, or assume that an attacker knows one row"
                ),
            )

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"{self.k}-anonymity of people ({_ROWS[self.knows]} known)"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"An attacker who knows the quasi-identifiers in {_ROWS[self.knows]} of a person in "
            f"the release finds at least {self.k} matching people ({self.k}-anonymity of people, "
            f"by the column {self.person}). The attacker picks the right person with a probability "
            f"of at most 1/{self.k}."
        )

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # it depends on parameters
        """Return the supported features, which depend on the parameters."""
        own = (Feature.PERSONS, Feature.SOME_ROWS, Feature.RECODING, *INFERRED)
        if self.leaves_out == "rows" or self.knows == "all":
            return supporting(*own, Feature.SQL)
        reason = Reason(
            "SQL cannot express {part} if people are left out with all their rows: a person who "
            "is left out no longer protects others, so everyone must be counted again until "
            "nothing changes",
            "{rather}, or use a policy that leaves out rows and assumes that an attacker knows one "
            "row",
        )
        return supporting(*own, reasons={Feature.SQL: reason})

    @property
    def threshold(self) -> float:
        """Return the prosecutor risk of a person among k people."""
        return 1.0 / self.k

    def bind(self, table: FrequencyTable) -> EnoughPersons:
        """Count people if the table has person IDs. Otherwise, count rows."""
        return EnoughPersons(self.k, table.persons if isinstance(table, PersonTable) else None)


@dataclass(frozen=True, eq=False)
class EnoughPersons(Monotone):
    """Classes with rows of at least `k` people, or with `k` rows if there are no person IDs."""

    k: int
    persons: Persons | None

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class has at least k people."""
        if self.persons is None:
            return classes.sizes >= self.k
        found = persons_of_classes(
            classes.members,
            classes.numbers,
            classes.sizes.size,
            self.persons.owners,
            self.persons.people,
        )
        enough: NDArray[np.bool_] = found >= self.k
        return enough
