"""The policy document: what a release does, as a small JSON file that stands without the data.

It names, for each quasi-identifier, the rule that generalizes it; the privacy models that decide
which equivalence classes are suppressed; and the columns that are released, or removed. Rules are
facts a person can read, so a policy may be shared and applied to the next extract. They hold no
value that was read off the data, but where a column without a hierarchy was cut into groups: these
list values, each of which at least k records share.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import InputError, PolicyError, quoted
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.rules import Rule
from roadstead.policies.agreement import disagreement
from roadstead.policies.full_domain import Levels
from roadstead.printable import named
from roadstead.regular_files import content_of

SUPPRESSED = "*"
"""What stands in every quasi-identifier of a suppressed record that is kept."""

SuppressedRecords: TypeAlias = Literal["mask", "drop"]

_STRICT = ConfigDict(extra="forbid")


@checked_dataclass(frozen=True, config=_STRICT)
class AttributePolicy:
    """What is done to one quasi-identifier.

    Attributes
    ----------
    name
        The column.
    level, levels
        The level chosen, from 0, and how many levels its hierarchy has.
    does
        What the rule does, in words.
    rule
        The rule itself.
    """

    name: str
    level: Annotated[int, Field(ge=0)]
    levels: int
    does: str
    rule: Annotated[Rule, Field(discriminator="kind")]


@checked_dataclass(frozen=True, config=_STRICT)
class Suppression:
    """Which records are suppressed, alongside those the privacy models name.

    Attributes
    ----------
    limit
        Largest share of the records that may be suppressed.
    records
        What becomes of them: ``mask`` keeps the record with ``*`` in every quasi-identifier,
        ``drop`` leaves it out.
    """

    limit: Annotated[float, Field(ge=0.0, le=1.0)]
    records: SuppressedRecords = "mask"

    def most(self, records: int) -> int:
        """Most of so many records that may be suppressed: the whole number at or below the share.

        The share is taken as the decimal fraction it was written as, so 5 % of 100 is 5.
        """
        return int(Fraction(repr(self.limit)) * records)


@checked_dataclass(frozen=True, config=_STRICT)
class PolicyColumns:
    """The columns that are no quasi-identifiers.

    Attributes
    ----------
    sensitive, insensitive
        Released as they are.
    removed
        Not released.
    forced
        Released as they are although they look like an identifier, because somebody named them so.
    """

    sensitive: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()

    @property
    def released(self) -> tuple[str, ...]:
        """Columns that are released as they are."""
        return (*self.sensitive, *self.insensitive, *self.forced)


@checked_dataclass(frozen=True, config=_STRICT)
class Policy:
    """A whole policy.

    Attributes
    ----------
    attributes
        The quasi-identifiers, in order.
    privacy
        Settings of each privacy model that must hold.
    suppression
        How much may be suppressed, and how.
    columns
        The other columns.
    roadstead_policy
        Version of this format.
    """

    attributes: Annotated[tuple[AttributePolicy, ...], Field(min_length=1)]
    privacy: Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]
    suppression: Suppression
    columns: PolicyColumns
    roadstead_policy: Literal[1] = 1

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def levels(self) -> dict[str, int]:
        """Level of each quasi-identifier."""
        return {attribute.name: attribute.level for attribute in self.attributes}

    @property
    def released(self) -> tuple[str, ...]:
        """Columns of the release, in no particular order."""
        return (*self.quasi, *self.columns.released)


_POLICY: TypeAdapter[Policy] = TypeAdapter(Policy)


def attribute_policies(
    hierarchies: Sequence[Hierarchy], levels: Levels
) -> tuple[AttributePolicy, ...]:
    """Say what a vector of levels does to each attribute."""
    return tuple(
        AttributePolicy(h.attribute, level, h.height, h.describe(level), h.rule(level))
        for h, level in zip(hierarchies, levels, strict=True)
    )


def to_json(policy: Policy) -> dict[str, Any]:
    """Give the policy as what a JSON file holds."""
    document: dict[str, Any] = _POLICY.dump_python(policy, mode="json")
    if not policy.columns.forced:
        del document["columns"]["forced"]
    return {"roadstead_policy": document.pop("roadstead_policy"), **document}


def from_json(document: object, *, where: str) -> Policy:
    """Read a policy from what a JSON file holds.

    PolicyError, which names the first wrong entry, where it is not a policy of a format this
    version knows, or contradicts itself.
    """
    try:
        policy = _POLICY.validate_json(_dumped(document))
        _check_levels(policy)
        _check_columns(policy)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(named(str(part)) for part in first["loc"]) or "the document"
        what = f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    except InputError as error:  # a rule refuses its parameters
        what = error.what
    else:
        return policy
    raise PolicyError(what, where=where, fix="use a policy.json that Roadstead wrote")


def _check_levels(policy: Policy) -> None:
    for attribute in policy.attributes:
        if attribute.level >= attribute.levels:
            raise PolicyError(
                f"level {attribute.level} of {quoted(attribute.name)}, which has "
                f"{attribute.levels} levels"
            )


def _check_columns(policy: Policy) -> None:
    """No column may be released twice, or released and removed."""
    named = [*policy.released, *policy.columns.removed]
    for column in named:
        if named.count(column) > 1:
            raise PolicyError(f"column {quoted(column)} is named twice")


def read_policy(path: Path) -> Policy:
    """Read a policy document from a file.

    Raises
    ------
    PolicyError
        When the file cannot be read or is not a policy.
    """
    policy = from_json(read_json(path), where=path.name)
    for attribute in policy.attributes:
        if (wrong := disagreement(attribute)) is not None:
            raise PolicyError(
                f"{quoted(attribute.name)}: {wrong}",
                where=path.name,
                fix="use a policy.json that Roadstead wrote, as it was written",
            )
    return policy


def read_json(path: Path, *, own: bool = False) -> object:
    """Read a JSON file, or raise PolicyError; if it is to be its folder's own, follow no link."""
    import json  # noqa: PLC0415 - only documents need it

    try:
        return json.loads(content_of(path, own=own).decode("utf-8"))
    except FileNotFoundError:
        raise PolicyError("there is no such file", where=str(path), fix="check the path") from None
    except IsADirectoryError:
        raise PolicyError(
            "is a folder", where=str(path), fix=f"name a file, such as {path / 'policy.json'}"
        ) from None
    except OSError as error:
        raise PolicyError(
            f"the file cannot be read ({error.strerror or type(error).__name__})", where=str(path)
        ) from None
    except UnicodeDecodeError:
        raise PolicyError("the file is not UTF-8", where=str(path)) from None
    except json.JSONDecodeError as error:
        raise PolicyError(
            f"not JSON at line {error.lineno}, column {error.colno}", where=str(path)
        ) from None
    except ValueError:  # of Python itself, which reads no number of thousands of digits
        raise PolicyError("a number is too long", where=str(path)) from None
    except RecursionError:
        raise PolicyError("the JSON is nested too deeply", where=str(path)) from None


def _dumped(document: object) -> str:
    import json  # noqa: PLC0415 - only documents need it

    return json.dumps(document)
