"""The command ``frontier``: options and project file become one request."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roadstead.cli.frontier_progress import watching
from roadstead.cli.into import (
    check_with,
    documented,
    released_to,
    require_folder,
    require_place,
)
from roadstead.cli.models import model_settings
from roadstead.cli.request import first, given_roles, located, opened
from roadstead.cli.show import note, show, show_json
from roadstead.errors import SettingError
from roadstead.requests.former_project import Project, read_project
from roadstead.requests.former_roles import joined_roles, require_decided
from roadstead.tables.addresses import shareable
from roadstead.verbs.frontier.finding import FrontierFinding
from roadstead.verbs.frontier.found import check_share
from roadstead.verbs.frontier.release import FrontierRelease
from roadstead.verbs.frontier.run import frontier as run
from roadstead.verbs.frontier.threshold import MODELS, SAFE_HARBOR, Threshold
from roadstead.verbs.frontier.words import summary
from roadstead.verbs.frontier.writing import PAGE, RELEASE, check_folder, write

_ENDLESS = ("random-chain", "sublattice-heuristic")
"""Searches that seldom end by themselves."""


@dataclass(frozen=True)
class FrontierOptions:
    """The options as given; None where an option was not."""

    data: str | None
    quasi: list[str] | None
    sensitive: list[str] | None
    identifying: list[str] | None
    insensitive: list[str] | None
    release: list[str] | None
    hierarchies: Path | None
    population: str | None
    population_counts: str | None
    margin: list[str] | None
    absent: str | None
    order: list[str] | None
    risk_measure: str | None
    gamma: float | None
    k: int | None
    quality: str | None
    search: str | None
    threshold: str | None
    privacy: list[str] | None
    iterations: int | None
    evaluations: int | None
    time_limit: float | None
    seed: int | None
    choose: int | None
    risk: float | None
    out: Path | None
    into: str | None
    delimiter: str | None
    encoding: str | None
    header: bool | None
    missing: list[str] | None


def frontier(
    options: FrontierOptions, project_file: Path | None, *, force: bool, as_json: bool
) -> int:
    """Run the command."""
    _check_choice(options)
    project = read_project(project_file) if project_file is not None else Project()
    base = project_file.parent if project_file is not None else Path()
    if options.out is not None:
        check_folder(options.out, force=force)
    with opened(options, project, base) as source:
        require_place(options.into, source, force=force)
        if options.search in _ENDLESS and not (options.evaluations or options.time_limit):
            note(f"{options.search} goes on until Ctrl-C; --evaluations or --time-limit end it")
        with watching() as watch:
            request = _request(options, project, base)
            if project_file is not None and _chooses(options):
                require_decided(request, project.roles, source.columns, project_file.name)
            found = run(source, watch=watch, base=base, **request)
        release = _chosen(found, options)
        if release is not None and release.warning:
            note(release.warning)
        lines, document = summary(found), found.to_dict()
        if release is not None:
            lines += ["", *str(release).split("\n")]
            document["release"] = release.to_dict()
        if options.out is not None:
            write(
                found,
                options.out,
                force=force,
                release=release,
                command=_command(options, project_file),
                into=options.into,
            )
            document["out"] = str(options.out)
            lines.append(f"Look at {options.out / PAGE}.")
            if release is not None:
                place = options.out / RELEASE
                document |= {**documented(place, options.into), "out": str(options.out)}
                lines.append(
                    f"Released to {released_to(place, options.into)}, and verified; check with: "
                    f"{check_with(place, options.into)}"
                )
    if as_json:
        show_json(document)
        return 0
    show(lines)
    if options.out is None:
        note("Nothing was written; give --out DIR to write the page, the picture and the points.")
    return 0


def _chooses(options: FrontierOptions) -> bool:
    return options.choose is not None or options.risk is not None


def _check_choice(options: FrontierOptions) -> None:
    if options.choose is not None and options.risk is not None:
        raise SettingError(
            "a policy is chosen by index and by risk",
            where="--choose, --risk",
            fix="leave one of them out",
        )
    if options.risk is not None:
        check_share(options.risk)
    if _chooses(options) and options.out is None:
        raise SettingError(
            "a policy is chosen, and not where to write its release",
            where="--choose, --risk",
            fix="add --out DIR",
        )

    require_folder(options.into, options.out)
    if options.into is not None and not _chooses(options):
        raise SettingError(
            "no policy is chosen whose release could go there",
            where="--into",
            fix="add --choose INDEX or --risk SHARE, or leave it out",
        )


def _chosen(found: FrontierFinding[Any], options: FrontierOptions) -> FrontierRelease | None:
    """Make the release that was asked for, if one was."""
    if options.choose is not None:
        return found.choose(options.choose)
    return None if options.risk is None else found.within(options.risk)


def _request(options: FrontierOptions, project: Project, base: Path) -> dict[str, Any]:
    """Join options and project; what neither says is left to the verb's defaults."""
    hierarchies: Any = options.hierarchies
    if hierarchies is None and project.hierarchy_folder is not None:
        hierarchies = base / project.hierarchy_folder
    people = project.population if not options.margin else None
    population = located(options.population, people, base)
    request = {
        **joined_roles(given_roles(options), project.roles),
        "hierarchies": hierarchies,
        "declared": project.hierarchies or None,
        "population": population,
        "population_counts": first(options.population_counts, project.population_counts),
        "margins": options.margin,
        "absent": options.absent,
        "orders": _orders(options.order or ()),
        "risk_measure": options.risk_measure,
        "gamma": options.gamma,
        "k": options.k,
        "quality": options.quality,
        "search": options.search,
        "threshold": _threshold(options.threshold),
        "privacy": [model_settings(text) for text in options.privacy or ()] or None,
        "iterations": options.iterations,
        "evaluations": options.evaluations,
        "time_limit": first(options.time_limit, project.search.time_limit),
        "seed": first(options.seed, project.search.seed),
    }
    return {name: value for name, value in request.items() if value is not None}


def _orders(given: Sequence[str]) -> dict[str, list[str]] | None:
    """Read orders such as race=White,Black,Other."""
    orders: dict[str, list[str]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise SettingError(
                f"{text!r} is no order",
                where="--order",
                fix="write it like race=White,Black,Other",
            )
        if name in orders:
            raise SettingError(
                f"two orders are given for {name!r}", where="--order", fix="give one"
            )
        orders[name] = next(iter(_cells(values)))
    return orders or None


def _cells(values: str) -> list[list[str]]:
    """Part a list at its commas; a value that has one stands in quotes."""
    import csv  # noqa: PLC0415 - seldom used

    return list(csv.reader([values]))


def _threshold(text: str | None) -> Threshold | None:
    match text:
        case None | "safe-harbor" | "models":
            return text
    try:
        return float(text)
    except ValueError:
        raise SettingError(
            f"{text!r} is no threshold",
            where="--threshold",
            fix=f"use {SAFE_HARBOR}, {MODELS}, or a share of the original data's risk",
        ) from None


def _command(options: FrontierOptions, project_file: Path | None) -> str:
    """Write the command that finds this frontier again, to choose from it."""
    parts = ["roadstead", "frontier"]
    if options.data is not None or project_file is None:
        parts.append(shareable(options.data or "DATA"))
    if project_file is not None:
        parts += ["--project", str(project_file)]
    roles = ("quasi", "sensitive", "identifying", "insensitive", "release")
    for name in (*roles, "margin", "order", "privacy"):
        for value in getattr(options, name) or ():
            parts += [f"--{name}", shareable(value) if name == "margin" else str(value)]
    for name in (
        "population",
        "population_counts",
        "absent",
        "hierarchies",
        "risk_measure",
        "gamma",
        "k",
        "quality",
        "search",
        "threshold",
        "iterations",
        "evaluations",
        "seed",
        "delimiter",
        "encoding",
    ):
        value = getattr(options, name)
        if value is not None:
            shown = shareable(value) if name == "population" else str(value)
            parts += [f"--{name.replace('_', '-')}", shown]
    if options.header is not None:
        parts.append("--header" if options.header else "--no-header")
    for marker in options.missing or ():
        parts += ["--missing", marker]
    return shlex.join(parts)
