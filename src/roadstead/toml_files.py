"""Read a file of settings that a user writes in TOML."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError
from roadstead.regular_files import content_of


def read_toml(path: Path, *, most: int, noun: str, missing: str, unfit: str) -> dict[str, Any]:
    """Return the content of a file that has at most `most` bytes.

    A `SettingError` says why the file cannot be used. `noun` is the kind of file in words.
    `missing` says what to do if the file is missing. `unfit` says what to do if the file is of
    another kind.
    """
    try:
        # Some editors write a byte order mark at the start of the file.
        return tomllib.loads(content_of(path, most=most).decode("utf-8-sig"))
    except FileNotFoundError:
        what, fix = f"{noun} does not exist", missing
    except OSError as error:
        what, fix = f"{noun} cannot be read ({error.strerror})", unfit
    except UnicodeDecodeError:
        what, fix = f"{noun} is not UTF-8", "save it as UTF-8"
    except tomllib.TOMLDecodeError as error:
        what, fix = f"the file is not valid TOML: {error}", "correct the file"
    except ValueError:  # Python does not read a number with thousands of digits
        what, fix = "a number is too long", "correct the number"
    except RecursionError:
        what, fix = "the file is nested too deeply", "use fewer nested tables"
    raise SettingError(what, where=str(path), fix=fix)
