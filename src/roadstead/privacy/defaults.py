"""What most privacy models have in common: a model inherits it, and says what differs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, cast

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.classes import Classes
from roadstead.publications import Publication
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class ModelFigure:
    """How near the classes of a release come to what a model allows.

    Attributes
    ----------
    what
        What was measured, with places ``{}`` for the `amounts`.
    found
        A number, two for a range, or a text where its form is the model's own.
    allowed
        The bound, in words.
    amounts
        Further numbers.
    """

    what: str
    found: float | tuple[float, float] | str
    allowed: str
    amounts: tuple[float, ...] = ()


class ModelDefaults:
    """A privacy model that bounds no prosecutor risk, and looks at its `column` if it has one."""

    kind: ClassVar[str]
    sources: ClassVar[tuple[str | Publication, ...]] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        column = getattr(self, "column", None)
        return () if column is None else (column,)

    @property
    def threshold(self) -> float:
        """Largest prosecutor risk of a record: not bounded."""
        return 1.0

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:  # noqa: ARG002 - for models that have one
        """No figure."""
        return None

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate."""
        parameters = {one.name: getattr(self, one.name) for one in fields(cast("Any", self))}
        return {"kind": self.kind, **parameters}

    def wrong(self, what: str, fix: str) -> SettingError:
        """Say what is wrong with a parameter."""
        return SettingError(what, where=f"{option('privacy')} {self.kind}", fix=fix)


class Monotone:
    """A condition that a class satisfies together with any other records."""

    merges: ClassVar[bool] = True
    per_class: ClassVar[bool] = True

    @property
    def monotone_part(self) -> Self:
        """Itself."""
        return self
