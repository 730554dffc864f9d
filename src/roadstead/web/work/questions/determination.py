"""Answer questions about a determination of a written release, and check people's answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from roadstead.determination.answers import questions
from roadstead.determination.answers_file import read_answers
from roadstead.determination.form import from_form, to_form
from roadstead.determination.new_file import new_answers
from roadstead.errors import SettingError
from roadstead.jobs import Observer
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint
from roadstead.release.kind import release_of

FILE = "determination.toml"


def columns(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Return the released columns, so that people can give a reason for each column."""
    return {"columns": list(release_of(Path(given["folder"]), None).released)}


def answers(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Write the answers in a form to a file, and check that the file can be read."""
    folder = Path(given["folder"])
    digest = fingerprint(folder / CERTIFICATE).sha256
    text = new_answers(
        digest,
        folder.name,
        release_of(folder, None).released,
        from_form(given["answers"]),
        {key: one.strip() for key, one in given["variables"].items() if one.strip()},
    )
    with TemporaryDirectory(prefix="roadstead-") as place:
        file = Path(place) / FILE
        file.write_text(text, encoding="utf-8")
        _read(file, digest)
    return {"certificate": digest, "text": text}


def taken(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """For the form, read a file of answers about this release."""
    file = Path(given["file"])
    texts, variables = to_form(_read(file, fingerprint(Path(given["folder"]) / CERTIFICATE).sha256))
    return {"answers": texts, "variables": variables}


def _read(file: Path, digest: str) -> Any:  # noqa: ANN401 - answers
    try:
        return read_answers(file, digest)[0]
    except SettingError as error:  # The name of the file has no meaning here.
        key, _, what = error.what.partition(" ")
        if key in questions():
            where = questions()[key].title
            raise SettingError(f"the answer {what}", where=where, fix=error.fix) from None
        raise SettingError(error.what, where=FILE, fix=error.fix) from None
