"""Assess how likely an attacker is to re-identify the records of a table.

The prosecutor risk depends only on the classes of the table. The journalist risk also depends on
the population, which is given by a file of its people or by a sampling fraction.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.capabilities import require_combination
from roadstead.errors import quoted
from roadstead.jobs import Delivery, Observer
from roadstead.policies.document import Policy, read_policy
from roadstead.privacy.combination import columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.expectation import k_of_people
from roadstead.reports.risk.advice import Advice, advised, least_k, open_questions
from roadstead.reports.terminal.release import matches
from roadstead.reports.terminal.risk import summary
from roadstead.reports.written import nothing_written
from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.tables import names
from roadstead.verbs.combination import assessed_parts
from roadstead.verbs.opening import opened
from roadstead.verbs.persons.settings import unit_seen
from roadstead.verbs.policy_labels import as_policy_shows
from roadstead.verbs.risk.answers import advice_for, answers_of, arguments_of, outcomes
from roadstead.verbs.risk.persons.run import assess_persons, person_of
from roadstead.verbs.risk.records import called, finding_of_records
from roadstead.verbs.risk.result import PAGE, RiskFinding, check_folder
from roadstead.verbs.risk.settings import check_population, check_threshold, quasi_of

if TYPE_CHECKING:
    from roadstead.tables.source import Source
    from roadstead.verbs.risk.request import RiskRequest


def deliver(request: RiskRequest, observer: Observer) -> Delivery[RiskFinding]:
    """Assess a table, write the page and the figures, and describe the findings and the advice."""
    if request.out is not None:
        check_folder(request.out, force=request.force)
    answers = answers_of(request, observer)
    found = result_of(request, observer)
    advice = None
    if answers is not None and not answers.unanswered:
        advice = advice_for(found, answers, request.origin.project)
    lines, document = summary(found), found.to_dict()
    typed = arguments_of(request, found, advice)
    if advice is not None:
        command = found.command(advice, typed)
        lines += ["", *advised(advice, command)]
        document["advice"] = advice.to_dict() | {"command": command}
    elif answers is not None:

        def leads_to(one: Advice) -> str:
            return found.command(one, arguments_of(request, found, one))

        more, document["advice"] = open_questions(
            answers, outcomes(answers, found.circumstances), leads_to
        )
        lines += ["", *more]
    notes: tuple[str, ...] = ()
    if request.out is not None:
        found.write(request.out, force=request.force, advice=advice, arguments=typed)
        document["out"] = str(request.out)
        lines += ["", f"Open {request.out / PAGE}."]
    else:
        notes = (nothing_written("the page and the figures"),)
    return Delivery(found, tuple(lines), document, notes)


def result_of(request: RiskRequest, observer: Observer) -> RiskFinding:
    """Assess how likely an attacker is to re-identify the records of a table."""
    began = time.perf_counter()
    policy, threshold = request.policy, request.threshold
    checks.number(threshold, "threshold")
    check_threshold(threshold)
    check_population(request)
    known = policy
    if policy is not None and not isinstance(policy, Policy):
        known = read_policy(Path(policy))
    quasi = quasi_of(checks.names(request.quasi, "quasi"), known)
    models: tuple[PrivacyModel, ...] = ()
    if known is not None:
        where = f"{called(policy)}, privacy"
        models = tuple(model_from(settings, where=where) for settings in known.privacy)
    columns = columns_of(models)
    person = person_of(request, known)
    require_combination(assessed_parts(request, person))
    source = opened(request.data, request, observer)
    if known is not None:
        source = as_policy_shows(source, known)
    quasi, matched = names.matching(quasi, source.columns)
    names.require((*quasi, *columns), source.columns)
    k = k_of_people(models) or least_k(threshold)
    if person is None:
        found = finding_of_records(request, source, quasi, known, models, k)
    else:
        found = _of_persons(request, source, quasi, person, known, models, k)
    notes = (*matches(matched), *found.notes)
    return replace(found, notes=notes, seconds=time.perf_counter() - began)


def _of_persons(
    request: RiskRequest,
    source: Source,
    quasi: tuple[str, ...],
    person: str,
    known: Policy | None,
    models: tuple[PrivacyModel, ...],
    k: int,
) -> RiskFinding:
    """Assess the risk of the people in a table.

    `known` is the given policy, and `k` is the required number of matching people.
    """
    if person in quasi:
        what = f"{quoted(person)} is both the person ID and a quasi-identifier"
        raise wrong("person", what, "give it only one of these roles")
    persons = assess_persons(request, source, quasi, person, known, models, k)
    return RiskFinding(
        source=source.name,
        records=persons.records,
        quasi=quasi,
        threshold=request.threshold,
        population=persons.population,
        before=persons.before,
        after=persons.after,
        policy=called(request.policy),
        notes=tuple(persons.notes),
        by_person=persons.facts,
        counted=unit_seen(source, quasi, person, alone=persons.facts.persons == persons.records),
        seconds=0.0,
    )
