"""Define and read the rules of a gate in `gate.toml`. Each rule is optional.

A file is rejected if it contains an unknown key, text in place of a number, or a rule without any
effect. Otherwise, every release would pass a misspelled rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    field_validator,
)
from pydantic_core import PydanticCustomError

from roadstead.errors import SettingError
from roadstead.near_names import did_you_mean_key
from roadstead.printable import named
from roadstead.regular_files import MIB
from roadstead.release.similar_names import as_read
from roadstead.toml_files import read_toml

_MOST = MIB
_FEW = 200

Whole: TypeAlias = Annotated[int, Strict(), Field(ge=1, lt=2**63)]
Share: TypeAlias = Annotated[float, Strict(), Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Positive: TypeAlias = Annotated[float, Strict(), Field(gt=0.0, allow_inf_nan=False)]
Name: TypeAlias = Annotated[str, Strict(), Field(min_length=1)]
Names: TypeAlias = Annotated[tuple[Name, ...], Field(min_length=1, max_length=_FEW)]


def _visible(names: tuple[str, ...]) -> tuple[str, ...]:
    """Reject a name without visible characters, because no column can have such a name."""
    if not all(map(as_read, names)):
        raise PydanticCustomError("too_short", "the list is empty")
    return names


class GateSection(BaseModel):
    """A section of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PromiseRules(GateSection):
    """The weakest privacy requirements that a release may have.

    For t, epsilon, and delta, the rules set the largest allowed value. For all other parameters,
    the rules set the smallest allowed value.

    `unprotected` states whether the gate passes a release without privacy requirements for the
    quasi-identifiers, or with a record whose risk is above 1/2. Without this setting, the gate
    refuses such a release. `earlier_releases` states whether the gate passes a release that can
    single out people together with earlier releases, according to its certificate.
    """

    k: Whole | None = None
    l: Whole | None = None  # noqa: E741 - its name
    t: Share | None = None
    epsilon: Positive | None = None
    delta: Positive | None = None
    unprotected: Literal["refuse", "pass"] | None = None
    earlier_releases: Literal["refuse", "pass"] | None = None


class MeasuredRules(GateSection):
    """Limits for measured figures: a minimum for the group size, and maximums for all others."""

    smallest_class: Whole | None = None
    highest_risk: Share | None = None
    average_risk: Share | None = None
    suppression: Share | None = None
    left_out_by_shift: Share | None = None
    loss: Share | None = None


class ColumnRules(GateSection):
    """The columns that must be absent. ``*`` matches any letters."""

    absent: Annotated[Names, AfterValidator(_visible)] | None = None
    identifiers: Literal["none"] | None = None


class SignatureRules(GateSection):
    """The keys of valid signatures, and whether signatures need a last day that has not passed."""

    keys: Names  # files of public keys; one of these keys is enough
    unexpired: Annotated[bool, Strict()] = False


class AttackRules(GateSection):
    """The attacks that must have been run and must have failed.

    `attempts` is the minimum number of attempts per attack, unless the attack examined all cases.
    `known` indicates whether the attacker must know all quasi-identifiers. `undecided` indicates
    whether the gate refuses a release if the result of any variant of an attack is undecided.
    """

    tried: Names
    attempts: Whole = 1
    known: Literal["all", "any"] = "all"
    undecided: Literal["refuse", "pass"] = "refuse"


class CertificateRules(GateSection):
    """The oldest allowed software version, and the maximum age of the certificate in days."""

    software: Name | None = None
    days: Whole | None = None

    @field_validator("software")
    @classmethod
    def _is_version(cls, text: str | None) -> str | None:
        from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - seldom needed

        try:
            return text if text is None else str(Version(text))
        except InvalidVersion:
            raise ValueError("is not a version") from None


class GatePolicy(GateSection):
    """All rules of a gate."""

    promise: PromiseRules = PromiseRules()
    measured: MeasuredRules = MeasuredRules()
    columns: ColumnRules = ColumnRules()
    signature: SignatureRules | None = None
    attacks: AttackRules | None = None
    certificate: CertificateRules = CertificateRules()

    @property
    def is_empty(self) -> bool:
        """Return whether no rule is set."""
        return not any(_set(table) for table in vars(self).values())


def _set(table: GateSection | None) -> list[str]:
    return [] if table is None else [key for key, value in vars(table).items() if value is not None]


def read_gate(path: Path) -> GatePolicy:
    """Read the rules of a gate. An invalid file raises a `SettingError`."""
    document = read_toml(
        path,
        most=_MOST,
        noun="the file",
        missing="name the file of rules",
        unfit="name a file of rules",
    )
    try:
        policy = GatePolicy.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _explained(first["loc"], first["type"], first["msg"], path) from None
    if policy.is_empty:
        raise SettingError(
            "the file has no rule, so every release would pass",
            where=str(path),
            fix="write a rule below [measured], such as smallest_class = 5",
        )
    return policy


_RIGHT = (
    ("int", "must be a whole number, such as 5, without quotes"),
    ("float", "must be a number, such as 0.2, without quotes"),
    ("finite", "must be a number, such as 0.2, without quotes"),
    ("bool", "must be true or false, without quotes"),
    ("greater", "is too small"),
    ("less", "is too large; write 20% as 0.2"),
    ("string", "must be text, in quotes"),
    ("tuple", 'must be a list, such as ["name", "record_number"]'),
    ("too_", f"must have between 1 and {_FEW} names"),
    ("model", "must be a table"),
    ("value_error", "must be a version, such as 0.1.0"),
    ("missing", "is missing"),
)
"""The error messages, by the first part of Pydantic's name for the error."""


def _explained(loc: tuple[int | str, ...], fault: str, said: str, path: Path) -> SettingError:
    keys = tuple(named(part) for part in loc if isinstance(part, str))
    place = ".".join(keys)
    if fault == "extra_forbidden":
        return SettingError(
            f"{place} is not a known rule", where=str(path), fix=did_you_mean_key(keys, _known())
        )
    what = next((right for start, right in _RIGHT if fault.startswith(start)), "cannot be used")
    if fault == "literal_error":  # Pydantic's message lists the allowed words.
        what = said.replace("Input should be", "must be").replace("'", '"')
    return SettingError(f"{place} {what}", where=str(path), fix="correct the file")


def _known() -> Iterator[tuple[str, ...]]:
    """Yield every key that the file may contain, with its section."""
    for table, kind in GatePolicy.model_fields.items():
        yield (table,)
        section = next(
            one
            for one in (kind.annotation, *getattr(kind.annotation, "__args__", ()))
            if isinstance(one, type) and issubclass(one, GateSection)
        )
        for key in section.model_fields:
            yield (table, key)
