"""The command ``anonymize``: options and project file become one request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from roadstead.cli.into import (
    check_with,
    documented,
    published,
    require_folder,
    require_place,
    target,
)
from roadstead.cli.models import model_settings
from roadstead.cli.progress import watching
from roadstead.cli.request import first, given_roles, located, opened
from roadstead.cli.show import note, show, show_json
from roadstead.policies.document import SuppressedRecords
from roadstead.release.certificate import files_of
from roadstead.release.staging import check_output
from roadstead.requests import texts
from roadstead.requests.former_project import Project, read_project
from roadstead.requests.former_roles import joined_roles, require_decided
from roadstead.verbs.anonymize.run import anonymize as run
from roadstead.verbs.anonymize.words import summary


@dataclass(frozen=True)
class Options:
    """The options as given; None where an option was not."""

    data: str | None
    quasi: list[str] | None
    sensitive: list[str] | None
    identifying: list[str] | None
    insensitive: list[str] | None
    release: list[str] | None
    hierarchies: Path | None
    k: int | None
    privacy: list[str] | None
    population: str | None
    population_counts: str | None
    suppression: float | None
    suppressed: str | None
    quality: str | None
    aggregate: str | None
    weight: list[str] | None
    target: str | None
    min_level: list[str] | None
    max_level: list[str] | None
    search: str | None
    time_limit: float | None
    seed: int | None
    combinations: int | None
    out: Path | None
    into: str | None
    delimiter: str | None
    encoding: str | None
    header: bool | None
    missing: list[str] | None


def anonymize(options: Options, project_file: Path | None, *, force: bool, as_json: bool) -> int:
    """Run the command."""
    project = read_project(project_file) if project_file is not None else Project()
    base = project_file.parent if project_file is not None else Path()
    out = options.out or (base / project.out if project.out else None)
    into = target(options.into, project.into, base)
    require_folder(into, out)
    if out is not None:
        check_output(out, force=force, own=files_of)
    with opened(options, project, base) as source:
        require_place(into, source, force=force)
        with watching() as watch:
            request = _request(options, project, base)
            if project_file is not None:
                require_decided(request, project.roles, source.columns, project_file.name)
            result = run(source, watch=watch, base=base, **request)
        lines, document = summary(result), result.to_dict()
        if out is not None:
            verification = result.write(out, into=into, force=force)
            document |= {**documented(out, into), "verified": verification.passed}
            lines += [
                published(out, into, verification),
                f"Read {out / 'report.html'}; check with: {check_with(out, into)}",
            ]
    if as_json:
        show_json(document)
        return 0
    show(lines)
    if out is None:
        note("Nothing was written; give --out DIR to write the release.")
    return 0


def _request(options: Options, project: Project, base: Path) -> dict[str, Any]:
    """Join options and project; what neither says is left to the verb's defaults."""
    privacy, levels = project.privacy, project.levels
    hierarchies: Any = options.hierarchies
    if hierarchies is None and project.hierarchy_folder is not None:
        hierarchies = base / project.hierarchy_folder
    suppressed = cast("SuppressedRecords | None", first(options.suppressed, privacy.suppressed))
    request = {
        **joined_roles(given_roles(options), project.roles),
        "hierarchies": hierarchies,
        "declared": project.hierarchies or None,
        "k": first(options.k, privacy.k),
        "privacy": [model_settings(text) for text in options.privacy or ()] or privacy.models,
        "population": located(options.population, project.population, base),
        "population_counts": first(options.population_counts, project.population_counts),
        "suppression": first(options.suppression, privacy.suppression),
        "suppressed": suppressed,
        "quality": first(options.quality, project.quality.quality),
        "aggregate": first(options.aggregate, project.quality.aggregate),
        "target": first(options.target, project.quality.target),
        "weights": {**project.quality.weights, **texts.numbers(options.weight, "weights")},
        "min_level": {**levels.min, **texts.levels(options.min_level, "min_level")},
        "max_level": {**levels.max, **texts.levels(options.max_level, "max_level")},
        "search": first(options.search, project.search.search),
        "time_limit": first(options.time_limit, project.search.time_limit),
        "seed": first(options.seed, project.search.seed),
        "combinations": first(options.combinations, project.search.combinations),
    }
    return {name: value for name, value in request.items() if value is not None}
