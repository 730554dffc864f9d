"""Run the command ``explore``, which opens the workbench in a browser on this machine."""

from __future__ import annotations

from pathlib import Path

from roadstead.cli.show import note
from roadstead.web.serve import Start, default_state, explore


def serve(
    data: str | None,
    project: Path | None,
    allow: list[Path] | None,
    state: Path | None,
    port: int,
    *,
    browser: bool,
) -> int:
    """Run the command. The workbench can also use the folders of the table and project file."""
    folders = tuple(allow) if allow else (Path.cwd(),)
    if data is not None and "://" not in data:
        scheme, path = _scheme(data)
        named = Path.cwd() / Path(path).expanduser()
        folders, data = (*folders, named.parent), f"{scheme}{named}"
    if project is not None:
        folders = (*folders, project.absolute().parent)
    explore(Start(folders, state or default_state(), port, browser, data, project), note)
    return 0


def _scheme(data: str) -> tuple[str, str]:
    """Split the address of a folder into the scheme ``omop:`` or ``fhir:`` and the path."""
    found = next((one for one in ("omop:", "fhir:") if data.startswith(one)), "")
    return found, data.removeprefix(found)
