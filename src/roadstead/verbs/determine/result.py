"""Read and write a determination: its pages, its PDFs, and ``determination.json``.

The JSON file contains the fingerprints of the other files. With the fingerprints, Roadstead detects
changed files, and replaces only files that are unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roadstead.determination.document import DOCUMENT, MARK, Determination, write_determination
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.printable import printable_lines
from roadstead.release.certificate import in_release
from roadstead.release.documents import fingerprint
from roadstead.release.staging import check_output, staged
from roadstead.reports.determination.lines import lines_of
from roadstead.requests import checks
from roadstead.verbs.writing import still_as_written


@dataclass(frozen=True, repr=False)
class DeterminationFinding:
    """The answers to the questions that regulators ask about a release.

    Attributes
    ----------
    determination
        The documents to write, with their points, and the figures about the release.
    """

    determination: Determination

    @property
    def lines(self) -> list[str]:
        """Return a line about each point, with the source of its answer."""
        return list(lines_of(self.determination))

    def to_dict(self) -> dict[str, Any]:
        """Return the document that the command prints as JSON."""
        return self.determination.to_dict()

    def write(self, out: str | Path, *, pdf: bool = False, force: bool = False) -> None:
        """Write the documents into a new folder.

        Raises
        ------
        OutputError
            When the folder cannot be written. `force` replaces an earlier determination.
        SettingError
            When the folder is a release folder or is inside one.
        MissingExtraError
            When `pdf` is true and Typst is not installed.
        """
        from roadstead.reports.determination.content import content_of_dialect  # noqa: PLC0415 - only here
        from roadstead.reports.determination.page import render_determination  # noqa: PLC0415 - only here
        from roadstead.reports.determination.pdf import render_pdf, require_typst  # noqa: PLC0415 - only here

        if pdf:
            require_typst()
        check_place(checks.path(out, "out"), force=force)
        with staged(checks.path(out, "out"), force=force, own=_former) as folder:
            made = []
            for one in self.determination.dialects:
                content = content_of_dialect(self.determination, one)
                page = folder / f"{one.dialect}.html"
                page.write_text(render_determination(content), encoding="utf-8")
                made.append(page)
                if pdf:
                    made.append(folder / f"{one.dialect}.pdf")
                    made[-1].write_bytes(render_pdf(content))
            files = tuple(fingerprint(path) for path in made)
            write_determination(replace(self.determination, files=files), folder)

    def _repr_html_(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - only here

        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        one = self.determination
        said = "expired" if one.expired else "concluded" if one.concluded else "no conclusion"
        names = ", ".join(own.dialect for own in one.dialects)
        return f"<{type(self).__name__}: {names}; {said}>"

    def __str__(self) -> str:
        return printable_lines(self.lines)


def check_place(out: Path, *, force: bool) -> None:
    """Reject a release folder, and a folder with other files."""
    require_outside(out, "out")
    check_output(out, force=force, own=_former)


def require_outside(path: Path, key: str) -> None:
    """Reject an output inside a release folder, because the output contains names of people."""
    if in_release(path):
        raise SettingError(
            "this is the folder of a release, so every recipient could read who made the "
            "determination, and why",
            where=option(key, str(path)),
            fix="choose a folder next to it",
        )


def _former(folder: Path) -> frozenset[str]:
    return still_as_written(folder, DOCUMENT, mark=MARK)
