"""The command ``evaluate``: a release with held-out records, or a request to be rehearsed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roadstead.cli.evaluate_progress import watching
from roadstead.cli.request import opened
from roadstead.cli.show import note, show, show_json
from roadstead.cli.synthesize import SynthesizeOptions, domains_of, request_of, sets_of
from roadstead.errors import SettingError
from roadstead.requests.former_project import Project, read_project
from roadstead.tables.reading import read_privately
from roadstead.verbs.evaluate.finding import EvaluationFinding
from roadstead.verbs.evaluate.run import evaluate as run
from roadstead.verbs.evaluate.writing import FIGURES, LINES, check_folder

_OF_REQUESTS = (
    "epsilon",
    "target",
    "classes",
    "quasi",
    "ranges",
    "values",
    "taxonomies",
    "fanout",
    "hierarchies",
    "specializations",
    "score",
    "outside",
)
"""What a release says itself; the verb refuses it."""


@dataclass(frozen=True)
class EvaluateOptions:
    """The options as given; None where an option was not.

    Attributes
    ----------
    asked
        Those of `synthesize`, without a seed; epsilon and specializations may be several.
    held_out
        Records to judge a release by.
    runs, held_out_share, classifiers, comparators, k, bands, seed
        How to evaluate.
    """

    asked: SynthesizeOptions
    held_out: Path | None
    runs: int | None
    held_out_share: str | None
    classifiers: list[str] | None
    comparators: list[str] | None
    k: int | None
    bands: int | None
    seed: int | None


def evaluate(
    options: EvaluateOptions, project_file: Path | None, *, force: bool, as_json: bool
) -> int:
    """Run the command."""
    project = read_project(project_file) if project_file is not None else Project()
    base = project_file.parent if project_file is not None else Path()
    out, data = options.asked.out, options.asked.data
    if out is not None:
        check_folder(out, force=force)
    if options.held_out is not None or (data is not None and Path(data).is_dir()):
        found = _judged(options, project, base)
    else:
        found = _rehearsed(options, project, base)
    document, lines = found.to_dict(), found.lines
    if out is not None:
        found.write(out, force=force)
        document["out"] = str(out)
        lines += ["", f"Written to {out}: {FIGURES}, {LINES}."]
    if as_json:
        show_json(document)
        return 0
    show(lines)
    if out is None:
        note("Nothing was written; give --out DIR to write the figures.")
    return 0


def _judged(options: EvaluateOptions, project: Project, base: Path) -> EvaluationFinding:
    """Judge a release; of a project file only sets and how to read a table matter."""
    asked = options.asked
    given: dict[str, Any] = {
        **_evaluating(options),
        **{name: getattr(asked, name) or None for name in _OF_REQUESTS},
        "sets": sets_of(asked, project, base),
    }
    if asked.data is None:
        raise SettingError("no release is named", where="--held-out", fix="give its folder")
    if options.held_out is None:
        return run(asked.data, **given)  # which says what is missing
    held_out = replace(asked, data=str(options.held_out))
    with opened(held_out, project, base, read_privately) as source:
        return run(asked.data, held_out=source, **given)


def _rehearsed(options: EvaluateOptions, project: Project, base: Path) -> EvaluationFinding:
    """Rehearse a request."""
    asked = options.asked
    domains, sets = domains_of(asked, project, base), sets_of(asked, project, base)
    with opened(asked, project, base, read_privately) as source, watching() as watch:
        request = request_of(asked, project, base, source.columns)
        return run(source, watch=watch, sets=sets, **domains, **request, **_evaluating(options))


def _evaluating(options: EvaluateOptions) -> dict[str, Any]:
    """Gather what is not the request's; what was not given is left to the verb's defaults."""
    given = {
        "runs": options.runs,
        "held_out_share": options.held_out_share,
        "classifiers": options.classifiers,
        "comparators": options.comparators,
        "k": options.k,
        "bands": options.bands,
        "seed": options.seed,
    }
    return {name: value for name, value in given.items() if value is not None}
