"""Results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from roadstead.errors import SettingError


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object, and nothing else, on standard output."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


def show(lines: Iterable[str]) -> None:
    """Print a result on standard output."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def note(line: str) -> None:
    """Print a message on standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def split(values: Sequence[str] | None) -> tuple[str, ...]:
    """Split comma-separated names; a name with a comma is quoted as in a CSV file."""
    import csv  # noqa: PLC0415 - one command in five needs it

    rows = csv.reader(values or [], skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def pairs(values: Sequence[str] | None, option: str) -> dict[str, str]:
    """Read ``name=value`` pairs, several in one value separated by commas.

    Raises
    ------
    SettingError
        When one has no equals sign.
    """
    found = {}
    for item in split(values):
        name, sign, value = item.rpartition("=")
        if not sign or not name:
            raise SettingError(f"{item!r} is not NAME=VALUE", where=option, mend="write age=2")
        found[name.strip()] = value.strip()
    return found


def numbers(values: Sequence[str] | None, option: str) -> dict[str, float]:
    """Read ``name=number`` pairs.

    Raises
    ------
    SettingError
        When one is not.
    """
    found = {}
    for name, value in pairs(values, option).items():
        try:
            found[name] = float(value)
        except ValueError:
            raise SettingError(
                f"{value!r} is not a number", where=f"{option} {name}", mend="write age=2"
            ) from None
    return found


def whole_numbers(values: Sequence[str] | None, option: str) -> dict[str, int]:
    """Read ``name=whole number`` pairs.

    Raises
    ------
    SettingError
        When one is not.
    """
    found = {}
    for name, value in pairs(values, option).items():
        if not value.isdecimal():
            raise SettingError(
                f"{value!r} is not a level", where=f"{option} {name}", mend="write age=2"
            )
        found[name] = int(value)
    return found
