"""The error of a field that is wrong, named as the front end in use writes it."""

from __future__ import annotations

from roadstead.errors import SettingError
from roadstead.front_end import option


def wrong(key: str, what: str, fix: str) -> SettingError:
    """Make the error."""
    return SettingError(what, where=option(key), fix=fix)
