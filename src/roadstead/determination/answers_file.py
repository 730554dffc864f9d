"""Read and check ``determination.toml``, and return the answers for one release.

The file identifies each release by the SHA-256 hash of the release's certificate. If a release is
created again, its certificate and the hash change. Then a person must review the answers and enter
the new hash.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from roadstead.determination.answers import (
    AllAnswers,
    AnswersFile,
    ReleaseAnswers,
    questions,
    sections,
)
from roadstead.errors import SettingError
from roadstead.front_end import option, worded
from roadstead.near_names import did_you_mean_key
from roadstead.printable import named
from roadstead.regular_files import MIB
from roadstead.toml_files import read_toml

_MOST = 4 * MIB
_WRONG = {
    "string_type": ("is not text", "write it in quotes"),
    "string_too_long": ("is too long", "write at most 20,000 characters"),
    "date_type": ("is not a day", "write a day, for example, 2026-03-01, without quotes"),
    "float_type": ("is not a number", "write a number, for example, 0.09, without quotes"),
    "float_parsing": ("is not a number", "write a number, for example, 0.09, without quotes"),
    "greater_than": ("is not above 0", "write a share, for example, 0.09"),
    "less_than_equal": ("is above 1", "write a share, for example, 0.09"),
    "model_type": ("is not a table", "write its keys below a heading such as [expert]"),
    "dict_type": ("is not a table", "write its keys below a heading such as [data.variables]"),
    "tuple_type": ("is not a list of tables", "write [[release]] above each"),
    "string_pattern_mismatch": (
        "is not a SHA-256",
        "write 64 characters from 0 to 9 and a to f, as in a new file of answers",
    ),
    "missing": ("is missing", "add it as in a new file of answers"),
}
"""The message and the suggested fix for each of Pydantic's error types."""


def read_answers(path: Path, certificate: str) -> tuple[AllAnswers, str]:
    """Return people's answers about a release, and the name of the release in the file.

    `certificate` is the SHA-256 hash of the release's certificate. If the file is invalid or covers
    only other releases, a `SettingError` is raised.
    """
    document = read_toml(
        path,
        most=_MOST,
        noun="the file",
        missing=f"make a file with {option('new', str(path))}",
        unfit="give a file of answers",
    )
    file = _checked(document, path)
    own = [one for one in file.release if one.certificate == certificate]
    if len(own) == 1:
        return _answers_of(own[0]).over(_answers_of(file)), own[0].name or ""
    if own:
        fix = "keep one of them"
        raise SettingError("the file names this release twice", where=str(path), fix=fix)
    about = (
        "it does not name any release"
        if not file.release
        else "it is about another release, or about an earlier certificate of this "
        f"release. A certificate changes if {_changing()}"
    )
    raise SettingError(
        "the file is not about this release (the SHA-256 of its certificate is "
        f"{certificate}): {about}",
        where=str(path),
        fix="check that every answer applies to this release as it is now; then change the SHA-256 "
        f'in the file, or add the two lines [[release]] and certificate = "{certificate}"',
    )


def _changing() -> str:
    certify = worded(
        command="you run roadstead attack with --certify",
        python=f"you run attack with {option('certify', True)}",
        page="you add attacks to it",
    )
    return f"you make the release again, or if {certify}"


def _answers_of(one: ReleaseAnswers | AnswersFile) -> AllAnswers:
    """Return a copy with only the answers. Pydantic still knows which keys are set in the file."""
    return AllAnswers(**{name: getattr(one, name) for name in sections()})


def _checked(document: dict[str, Any], path: Path) -> AnswersFile:
    try:
        return AnswersFile.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    loc = first["loc"]
    place = ".".join(f"{part + 1}" if isinstance(part, int) else named(part) for part in loc)
    if first["type"] == "extra_forbidden":
        what, fix = "is not known", _nearest(tuple(str(part) for part in loc))
    else:
        plain = first["msg"].removeprefix("Input ")
        what, fix = _WRONG.get(first["type"], (plain, "correct the file"))
    raise SettingError(f"{place or 'the file'} {what}", where=str(path), fix=fix)


def _nearest(keys: tuple[str, ...]) -> str:
    inside = keys[0] == "release" and len(keys) > 2  # noqa: PLR2004 - after its number
    own = keys[2:] if inside else keys
    known: list[tuple[str, ...]] = [
        (name,) for name in (*sections(), *(("certificate", "name") if inside else ()))
    ]
    known += [tuple(key.split(".")) for key in questions()]
    return did_you_mean_key(own, known)
