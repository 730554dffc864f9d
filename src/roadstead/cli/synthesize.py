"""The command ``synthesize``: options and project file become one request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from roadstead.cli.request import first, opened
from roadstead.cli.show import note, show, show_json
from roadstead.cli.synthesize_declarations import classes, described, fanouts, lists, once
from roadstead.cli.synthesize_progress import watching
from roadstead.errors import SettingError
from roadstead.release.certificate import REPORT
from roadstead.release.private.certificate import private_files_of
from roadstead.release.staging import check_output
from roadstead.reports.wording import counted
from roadstead.requests.former_project import Project, read_project
from roadstead.requests.texts import split
from roadstead.tables.addresses import locate
from roadstead.tables.reading import read_privately
from roadstead.verbs.synthesize.run import synthesize as run
from roadstead.verbs.synthesize.settings import LARGE
from roadstead.verbs.synthesize.words import summary


@dataclass(frozen=True)
class SynthesizeOptions:
    """The options as given; None where an option was not."""

    data: str | None
    epsilon: str | None
    target: str | None
    classes: list[str] | None
    quasi: list[str] | None
    ranges: list[str] | None
    values: list[str] | None
    taxonomies: list[str] | None
    fanout: list[str] | None
    hierarchies: Path | None
    sets: list[str] | None
    delimiter_in_sets: str | None
    sequences: list[str] | None
    longest: int | None
    specializations: str | None
    score: str | None
    outside: str | None
    seed: str | None
    out: Path | None
    delimiter: str | None
    encoding: str | None
    header: bool | None
    missing: list[str] | None


def synthesize(
    options: SynthesizeOptions, project_file: Path | None, *, force: bool, as_json: bool
) -> int:
    """Run the command."""
    if options.seed is not None:
        raise SettingError(
            "a private release has no seed, because whoever knew it could take the noise off again",
            where="--seed",
            fix="leave it out",
        )
    project = read_project(project_file) if project_file is not None else Project()
    base = project_file.parent if project_file is not None else Path()
    out = options.out
    if out is not None:
        check_output(out, force=force, own=private_files_of)
    domains, sets = domains_of(options, project, base), sets_of(options, project, base)
    try:
        with (
            opened(options, project, base, read_privately) as source,
            watching() as watch,
        ):
            request = request_of(options, project, base, source.columns)
            found = run(source, watch=watch, sets=sets, **domains, **request)
        for line in found.private.lines:
            note(line)
        if found.request.epsilon > LARGE:
            note(f"warning: {found.notes[0]}")
        lines, document = summary(found), found.to_dict()
        if out is not None:
            verification = found.write(out, force=force)
            document |= {"out": str(out), "verified": verification.passed}
            checks = counted(len(verification.checks), "check")
            lines += [
                "",
                f"Written to {out}, and verified: {checks} hold.",
                f"Read {out / REPORT}; check with: roadstead verify {out}",
            ]
    except KeyboardInterrupt:
        note(
            "Nothing was written. The run that was stopped told nobody anything, if what stands "
            "above is not passed on."
        )
        raise
    if as_json:
        show_json(document)
    else:
        show(lines)
    if out is None:
        note(
            "Nothing was written; give --out DIR to write a release. It is drawn anew then, and "
            "what stands above must not be passed on too: both together cost twice the epsilon."
        )
    return 0


def request_of(
    options: SynthesizeOptions, project: Project, base: Path, columns: Sequence[str]
) -> dict[str, Any]:
    """Join options and project; what neither says is left to the verb's defaults."""
    asked = project.synthesis
    target = first(options.target, asked.target)
    hierarchies: Any = options.hierarchies
    if hierarchies is None and project.hierarchy_folder is not None:
        hierarchies = base / project.hierarchy_folder
    request = {
        "epsilon": first(options.epsilon, asked.epsilon),
        "target": target,
        "classes": classes(options.classes, target, columns) or asked.classes,
        "quasi": split(options.quasi) or asked.quasi,
        "hierarchies": hierarchies,
        "declared": project.hierarchies or None,
        "identifying": project.roles.identifying,
        "specializations": first(options.specializations, asked.specializations),
        "score": first(options.score, asked.score),
        "outside": first(options.outside, asked.outside),
        "base": base,
    }
    kept = {name: value for name, value in request.items() if value is not None}
    return {"epsilon": None, "target": None, **kept}


def domains_of(options: SynthesizeOptions, project: Project, base: Path) -> dict[str, Any]:
    """Join what is declared; an option goes before all that the file says of its column."""
    ranges: dict[str, Any] = dict(once(options.ranges, "--range"))
    values: dict[str, Sequence[str]] = dict(lists(options.values, "--values"))
    taxonomies: dict[str, Any] = dict(once(options.taxonomies, "--taxonomy"))
    fanout = fanouts(options.fanout)
    given = {*ranges, *values, *taxonomies}
    for name, domain in project.domains.items():
        if domain.fanout is not None:
            fanout.setdefault(name, domain.fanout)
        if name in given:
            continue
        if domain.low is not None or domain.high is not None or domain.step is not None:
            ranges[name] = domain.ends(f"domains.{name}")
        if domain.values is not None:
            values[name] = domain.values
        if domain.taxonomy is not None:
            taxonomies[name] = _beside(domain.taxonomy, base)
    return {"ranges": ranges, "values": values, "taxonomies": taxonomies, "fanout": fanout}


def _beside(taxonomy: str, base: Path) -> str:
    """Find the file of a taxonomy; those with a name of their own are no files."""
    named = taxonomy in ("icd9", "icd10") or taxonomy.startswith("prefix:")
    return taxonomy if named else str(base / taxonomy)


def sets_of(options: SynthesizeOptions, project: Project, base: Path) -> dict[str, Any]:
    """Join what is said of sets; an option goes before what the file says of its set."""
    own = {}
    for name, one in project.sets.items():
        keys = {key: value for key, value in asdict(one).items() if value is not None}
        own[name] = {**keys, "file": locate(keys["file"], base)} if "file" in keys else keys
    return described(
        options.sets, options.delimiter_in_sets, options.sequences, options.longest, own
    )
