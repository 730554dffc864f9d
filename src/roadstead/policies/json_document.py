"""Read a policy, or a related document, in JSON from an untrusted source.

Any problem in the file raises a `PolicyError` that explains what to use instead. A repeated key is
an error, because a person may read the first value while a program uses the last value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from roadstead.errors import PolicyError, quoted
from roadstead.regular_files import content_of

POLICY = "policy.json"
"""The file name of the policy in a release."""
FROM_ROADSTEAD = f"use a {POLICY} that Roadstead wrote"
"""The advice to users whose file is not a document of this kind."""


STRICT = ConfigDict(extra="forbid")
"""The settings of document types. With these settings, an unknown key is an error."""

NOT_NONE = Field(exclude_if=lambda value: value is None)
"""A field that a document has only if the field is not None."""
NOT_EMPTY = Field(exclude_if=lambda value: not value)
"""A field that a document has only if the field is not empty."""


@dataclass(frozen=True)
class DocumentFormat:
    """The format of a kind of document: the `key` and the `number` of the format."""

    key: str
    number: int
    again: str  # the advice for documents in a different format

    def other(self, document: object) -> str | None:
        """Return a message if a document has a different format, or None otherwise.

        The message does not repeat the format number from the document, because the document may
        contain any text there.
        """
        found = document.get(self.key) if isinstance(document, Mapping) else None
        if type(found) is not int or found == self.number:
            return None
        return f"this version reads format {self.number}, but the file has a different format"


class SaidTwiceError(ValueError):
    """The error for a document that repeats a key in an object."""


def said_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object from key-value pairs. A repeated key raises a `SaidTwiceError`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise SaidTwiceError(f"{quoted(next(k for k in keys if keys.count(k) > 1))} occurs twice")
    return found


def read_json(path: Path, *, own: bool = False) -> object:
    """Read a JSON file, or raise a PolicyError. If `own` is true, do not follow links."""
    fix = FROM_ROADSTEAD
    try:
        text = content_of(path, own=own).decode("utf-8")
        return json.loads(text, object_pairs_hook=said_once)
    except FileNotFoundError:
        what, fix = "there is no such file", "check the path"
    except OSError as error:
        what = f"the file cannot be read ({error.strerror or type(error).__name__})"
        if (path / POLICY).is_file():
            fix = f"use the policy file in this folder, {path / POLICY}"
    except UnicodeDecodeError:
        what = "the file is not UTF-8"
    except json.JSONDecodeError as error:
        what = f"the JSON is not valid at line {error.lineno}, column {error.colno}"
    except SaidTwiceError as error:
        what = str(error)
    except ValueError:  # Python rejects numbers with thousands of digits
        what = "a number is too long"
    except RecursionError:
        what = "the JSON is nested too deeply"
    raise PolicyError(what, where=str(path), fix=fix)
