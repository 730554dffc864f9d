"""Represent a release that is written as SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.policies.document import Policy
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.sql.counting import counts_persons, require_sql
from roadstead.release.sql.dialects import DIALECTS
from roadstead.release.sql.texts import Kind
from roadstead.tables.stores.address import name_parts

_MOST_PARTS = 3


@dataclass(frozen=True)
class SqlRelease:
    """A release that is written as SQL, with its policy, its table, and its dialect."""

    policy: Policy  # the rules of the release
    models: tuple[PrivacyModel, ...]  # the privacy models of the policy
    table: tuple[str, ...]  # the name of the source table, qualified by schema and database
    columns: tuple[str, ...]  # the columns of the release, in order
    dialect: str  # one of `DIALECTS`
    # Columns whose values are converted to text in a special way.
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    # Whether to suppress records with a value that the policy does not cover, instead of releasing
    # nothing.
    suppress_unseen: bool = False

    def __post_init__(self) -> None:
        if self.dialect not in DIALECTS:
            what, fix = (
                f"{quoted(self.dialect)} is not a known dialect",
                f"use one of {', '.join(DIALECTS)}",
            )
            raise SettingError(what, where=option("dialect"), fix=fix)
        require_sql(self.policy, self.models)

    @property
    def persons(self) -> PersonAnonymity | None:
        """Return the model that counts people, or None if records are counted."""
        return counts_persons(self.models)

    @property
    def k(self) -> int:
        """Return the smallest number of records or people in a released class."""
        own = (model for model in self.models if isinstance(model, KAnonymity | PersonAnonymity))
        return max(model.k for model in own)

    @property
    def masks(self) -> bool:
        """Return whether suppressed records are kept, if there are at least k of them."""
        return self.policy.suppression.records == "mask" and self.persons is None


def table_parts(name: str) -> tuple[str, ...]:
    """Split a table's name at dots outside double quotes."""
    parts = tuple(part.strip() for part in name_parts(name, _MOST_PARTS) or ())
    if not parts or not all(parts):
        fix = (
            "write NAME, SCHEMA.NAME, or CATALOG.SCHEMA.NAME, and put a part with a dot in "
            'quotes: "a.b"'
        )
        raise SettingError(
            f"{quoted(name)} is not a valid name of a table", where=option("table"), fix=fix
        )
    return parts
