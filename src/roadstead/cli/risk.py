"""The command ``risk``: options and project file become one request, and questions are asked."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from roadstead.cli.request import first, located, opened
from roadstead.cli.show import note, show, show_json, split
from roadstead.errors import SettingError
from roadstead.requests.former_project import Project, read_project
from roadstead.tables.addresses import shareable
from roadstead.verbs.risk.advice import QUESTIONS, Advice, Answers
from roadstead.verbs.risk.advice_outcomes import open_questions
from roadstead.verbs.risk.finding import RiskFinding
from roadstead.verbs.risk.run import risk as run
from roadstead.verbs.risk.words import advised, summary
from roadstead.verbs.risk.writing import PAGE, check_folder, write


@dataclass(frozen=True)
class RiskOptions:
    """The options as given; None where an option was not."""

    data: str | None
    quasi: list[str] | None
    population: str | None
    population_counts: str | None
    absent: str | None
    sampling_fraction: float | None
    threshold: float | None
    policy: Path | None
    advise: bool
    whole_population: bool | None
    membership_known: bool | None
    self_revealing: bool | None
    out: Path | None
    delimiter: str | None
    encoding: str | None
    header: bool | None
    missing: list[str] | None


def risk(options: RiskOptions, project_file: Path | None, *, force: bool, as_json: bool) -> int:
    """Run the command."""
    project = read_project(project_file) if project_file is not None else Project()
    base = project_file.parent if project_file is not None else Path()
    if options.out is not None:
        check_folder(options.out, force=force)
    answers = _answers(options, project)
    with opened(options, project, base) as source:
        found = run(source, **_request(options, project, base))
    complete = answers is not None and not answers.unanswered
    advice = _advice(found, answers, project) if answers is not None and complete else None
    lines, document = summary(found), found.to_dict()
    anonymize = _anonymize(options, project_file, found, advice)
    if advice is not None:
        command = found.command(advice, anonymize)
        lines += ["", *advised(advice, command)]
        document["advice"] = advice.to_dict() | {"command": command}
    elif answers is not None:

        def leads_to(one: Advice) -> str:
            return found.command(one, _anonymize(options, project_file, found, one))

        more, document["advice"] = open_questions(answers, found.circumstances, leads_to)
        lines += ["", *more]
    if options.out is not None:
        write(found, options.out, force=force, advice=advice, request=anonymize)
        document["out"] = str(options.out)
        lines += ["", f"Look at {options.out / PAGE}."]
    if as_json:
        show_json(document)
        return 0
    show(lines)
    if options.out is None:
        note("Nothing was written; give --out DIR to write the page and the figures.")
    return 0


def _answers(options: RiskOptions, project: Project) -> Answers | None:
    """Gather the answers, and ask for those that are missing; None where no advice is wanted.

    Where nobody is there to be asked, questions stay open.
    """
    given = {
        question.name: first(
            getattr(options, question.name), getattr(project.advice, question.name)
        )
        for question in QUESTIONS
    }
    if not options.advise:
        for question in QUESTIONS:
            answer = getattr(options, question.name)
            if answer is not None:
                raise SettingError(
                    "an answer is given, and no advice is asked for",
                    where=question.option if answer else question.negative,
                    fix="add --advise",
                )
        return None
    answers = Answers(**given)
    if answers.unanswered and _on_a_terminal():
        asked = {
            question.name: typer.confirm(question.asks, default=None, err=True)
            for question in answers.unanswered
        }
        answers = Answers(**{**given, **asked})
    return answers


def _on_a_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _advice(found: RiskFinding, answers: Answers, project: Project) -> Advice:
    """Advise, and note what of the project file stands against it."""
    advice = found.advise(
        **{question.name: getattr(answers, question.name) for question in QUESTIONS}
    )
    notes = []
    if advice.model != "k-anonymity" and project.privacy.k is not None:
        notes.append(
            f"The project file asks for k-anonymity with k = {project.privacy.k} too. Take it out "
            "there, or more is lost than the model asks for."
        )
    if advice.model != "k-map" and project.population is not None:
        notes.append(
            "The project file names a population, which the model does not look at. Take it out "
            "there before you release the table."
        )
    return replace(advice, notes=(*advice.notes, *notes))


def _request(options: RiskOptions, project: Project, base: Path) -> dict[str, Any]:
    """Join options and project; what neither says is left to the verb's defaults."""
    fraction, people, counts = (
        options.sampling_fraction,
        options.population,
        options.population_counts,
    )
    population = located(people, None, base)
    if fraction is None and population is None:
        # The project's go together, and behind either option.
        fraction, counts = project.sampling_fraction, first(counts, project.population_counts)
        population = located(None, project.population, base)
    quasi = split(options.quasi)
    if not quasi and options.policy is None:
        quasi = project.roles.quasi
    request = {
        "quasi": quasi,
        "population": population,
        "population_counts": counts,
        "absent": options.absent,
        "sampling_fraction": fraction,
        "threshold": options.threshold,
        "policy": options.policy,
    }
    return {name: value for name, value in request.items() if value is not None}


def _anonymize(
    options: RiskOptions, project_file: Path | None, found: RiskFinding, advice: Advice | None
) -> list[str]:
    """Give the arguments of ``roadstead anonymize`` that name the same table and columns."""
    parts = [] if options.data is None else [shareable(options.data)]
    if project_file is not None:
        parts += ["--project", str(project_file)]
    if options.quasi or project_file is None:
        parts += ["--quasi", ",".join(_cell(name) for name in found.quasi)]
    if advice is not None and advice.model == "k-map" and options.population is not None:
        parts += ["--population", shareable(options.population)]
        if options.population_counts is not None:
            parts += ["--population-counts", options.population_counts]
    for option in ("delimiter", "encoding"):
        if getattr(options, option) is not None:
            parts += [f"--{option}", getattr(options, option)]
    if options.header is not None:
        parts.append("--header" if options.header else "--no-header")
    for marker in options.missing or ():
        parts += ["--missing", marker]
    return parts


def _cell(name: str) -> str:
    """Write a name for a list of names; one with a comma or a quote stands in quotes."""
    if not set(name) & {",", '"', "\n", "\r"} and name == name.strip():
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
