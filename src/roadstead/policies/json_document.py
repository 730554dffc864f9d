"""Read a policy, or a related document, in JSON from an untrusted source.

Any problem in the file raises a `PolicyError`, which says what to use instead. A repeated key is
refused, because a person may read the first value while a program uses the last value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from roadstead.errors import PolicyError, quoted
from roadstead.regular_files import content_of

POLICY = "policy.json"
"""The file name of the policy in a release."""
FROM_ROADSTEAD = f"use a {POLICY} that Roadstead wrote"
"""The advice to the user if a file is not such a document."""


STRICT = ConfigDict(extra="forbid")
"""Settings of the document types. An unknown key is an error."""


@dataclass(frozen=True)
class DocumentFormat:
    """The format of a kind of document: the `key` of the format number, and the `number`."""

    key: str
    number: int
    again: str  # the advice for a document in another format

    def other(self, document: object) -> str | None:
        """Return a message if a document has another format; otherwise, return None.

        The message does not repeat the number from the document, because an unknown author may have
        written anything there.
        """
        found = document.get(self.key) if isinstance(document, Mapping) else None
        if type(found) is not int or found == self.number:
            return None
        return f"its format is not {self.number}, the format that this version reads"


class SaidTwiceError(ValueError):
    """A document repeats a key of an object."""


def said_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object from pairs of JSON; a repeated key raises a `SaidTwiceError`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise SaidTwiceError(f"{quoted(next(k for k in keys if keys.count(k) > 1))} occurs twice")
    return found


def read_json(path: Path, *, own: bool = False) -> object:
    """Read a JSON file, or raise a PolicyError; if `own`, do not follow links."""
    fix = FROM_ROADSTEAD
    try:
        text = content_of(path, own=own).decode("utf-8")
        return json.loads(text, object_pairs_hook=said_once)
    except FileNotFoundError:
        what, fix = "there is no such file", "check the path"
    except OSError as error:
        what = f"the file cannot be read ({error.strerror or type(error).__name__})"
        if (path / POLICY).is_file():
            fix = f"name the policy file in it, {path / POLICY}"
    except UnicodeDecodeError:
        what = "the file is not UTF-8"
    except json.JSONDecodeError as error:
        what = f"the file is not JSON at line {error.lineno}, column {error.colno}"
    except SaidTwiceError as error:
        what = str(error)
    except ValueError:  # Python refuses numbers of thousands of digits
        what = "a number is too long"
    except RecursionError:
        what = "the JSON is nested too deeply"
    raise PolicyError(what, where=str(path), fix=fix)
