"""A privacy model as one option: ``t-closeness:column=diagnosis,t=0.2``."""

from __future__ import annotations

from typing import Any

from roadstead.errors import SettingError


def model_settings(text: str) -> dict[str, Any]:
    """Read a model's kind and parameters.

    Raises
    ------
    SettingError
        When a parameter has no value.
    """
    kind, _, rest = text.partition(":")
    settings: dict[str, Any] = {"kind": kind.strip()}
    for part in rest.split(",") if rest else ():
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise SettingError(
                f"{part!r} is no parameter",
                where="--privacy",
                mend="write it like t-closeness:column=diagnosis,t=0.2",
            )
        settings[name.strip()] = _value(value.strip())
    return settings


def _value(text: str) -> str | int | float:
    """Read a number where it is one; a column may be called 7, and the model takes it as text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
