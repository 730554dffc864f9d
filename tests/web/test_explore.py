"""Candidates of the step Explore: requests of forms, the queue, and changes of choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from patience import wait_until

from roadstead.errors import SettingError
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.verbs.catalog import REQUESTS
from roadstead.web.sessions.candidate_forms import USUAL_LIMIT, trials_of
from roadstead.web.sessions.candidate_requests import (
    USUAL,
    basis_of,
    changed,
    choose,
    chosen_of,
    drop,
    facts_of,
    tried_of,
    try_out,
)
from roadstead.web.sessions.candidates import candidates_of, keep, take_turns
from roadstead.web.sessions.choices import choices_of, set_role, set_value
from roadstead.web.sessions.declared_promise import declared_of
from roadstead.web.sessions.session import Sessions, WorkSession
from roadstead.web.steps.explore.drawn import listed, points
from roadstead.web.work import jobs
from roadstead.web.work.jobs import Desk, JobRecord
from roadstead.web.work.process import Child

PROJECT = """data = "t.csv"
[roles]
quasi = ["age", "sex"]
sensitive = ["diagnosis"]
[privacy]
k = 5
"""


class Silent(Child):
    """A process that waits for its input to end and says nothing."""

    def ask(self, **words: object) -> None:
        """Say nothing to it."""


@pytest.fixture
def session(tmp_path: Path) -> WorkSession:
    """A piece of work with decided columns."""
    own = Sessions(tmp_path).new("Untitled")
    own.project.write_text(PROJECT)
    return own


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk whose jobs end only when they are dropped."""
    monkeypatch.setattr(jobs, "Child", Silent)
    own = Desk()
    yield own
    own.close()


def requested(session: WorkSession, form: Mapping[str, Any], *sizes: str) -> list[Any]:
    """Make the requests of a form, as the command line would."""
    project = read_project(session.project, REQUESTS)
    found = []
    for one in trials_of(form, sizes, choices_of(session)):
        kind = next(kind for kind in REQUESTS if kind.verb == one.verb)
        found.append(joined(kind, dict(one.given), project))
    return found


def test_each_k_that_is_marked_makes_a_candidate(session: WorkSession) -> None:
    """With the recoding that was chosen, and the limit of each."""
    form = {"kind": "local", "k": "7", "time_limit": "2.5"}
    made = requested(session, form, "5", "20")
    assert [one.k for one in made] == [5, 20, 7]
    assert {(one.recoding, one.time_limit) for one in made} == {("local", 2.5)}
    assert all(one.quasi == ("age", "sex") for one in made)


@pytest.mark.parametrize("kind", ["cells", "local", "intervals"])
def test_a_search_that_seldom_ends_by_itself_has_a_time_limit(
    session: WorkSession, kind: str
) -> None:
    """The same as the map, unless the form has another; the exact search ends by itself."""
    (made,) = requested(session, {"kind": kind, "k": "5", "time_limit": ""})
    assert made.time_limit == USUAL_LIMIT
    (exact,) = requested(session, {"kind": "global", "k": "5", "time_limit": ""})
    assert exact.time_limit is None


def test_k_map_takes_the_place_of_k_anonymity(session: WorkSession) -> None:
    """Other models of the project stay; without a population it is refused."""
    form = {"kind": "k-map", "k": "5"}
    with pytest.raises(SettingError, match="population"):
        trials_of(form, (), choices_of(session))
    with session.changed() as document:
        set_value(document, "population", "people.csv")
        model = {"kind": "t-closeness", "column": "diagnosis", "t": 0.2}
        set_value(document, "privacy.models", [model])
    (made,) = requested(session, form)
    assert made.k == 1
    assert [one["kind"] for one in made.privacy] == ["t-closeness", "k-map"]


def test_domains_of_a_private_release_are_read_by_the_line(session: WorkSession) -> None:
    """Numbers as ranges, other values as they are listed."""
    form = {
        "kind": "private",
        "epsilon": "1/3",
        "target": "diagnosis",
        "classes": "flu, gout",
        "domains": "age = 15 .. 95\n\nsex = f, m",
    }
    (made,) = requested(session, form)
    assert (made.epsilon, made.target, made.classes) == ("1/3", "diagnosis", ["flu", "gout"])
    assert (made.ranges, made.values) == ({"age": "15..95"}, {"sex": ["f", "m"]})
    assert list(made.quasi) == ["age", "sex"]


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"kind": "other"}, "kind of release"),
        ({"kind": "global"}, "k is missing"),
        ({"kind": "global", "k": "1"}, "not a group size"),
        ({"kind": "global", "k": "five"}, "not a group size"),
        ({"kind": "global", "k": "5", "time_limit": "-1"}, "not a number of seconds"),
        ({"kind": "global", "k": "5", "time_limit": "nan"}, "not a number of seconds"),
        ({"kind": "private", "epsilon": ""}, "privacy budget is missing"),
        ({"kind": "private", "epsilon": "1", "target": ""}, "column is missing"),
        (
            {"kind": "private", "epsilon": "1", "target": "d", "domains": "x"},
            "does not contain a domain",
        ),
        (
            {"kind": "private", "epsilon": "1", "target": "diagnosis"},
            "in “All possible values of this column”, the values that diagnosis can have; and in "
            "“Domains of columns whose hierarchy does not list the values”, one line each for age "
            "and sex, such as age = LOW..HIGH or age = A, B",
        ),
        (
            {"kind": "private", "epsilon": "1", "target": "sex", "classes": "f, m"},
            "enter in “Domains of columns whose hierarchy does not list the values”, one line each "
            "for age, such as",
        ),
    ],
)
def test_what_a_form_lacks_is_said(session: WorkSession, form: dict[str, str], says: str) -> None:
    """In words of the form."""
    with pytest.raises(SettingError, match=says):
        trials_of(form, (), choices_of(session))


def test_candidates_take_turns(session: WorkSession, desk: Desk) -> None:
    """One is at work; the next begins when it is over, however it ended, and no page is open."""
    first = try_out(session, "first", "anonymize", {"k": 5})
    second = try_out(session, "second", "anonymize", {"k": 10})
    begun = take_turns(session, desk)
    assert begun is not None
    again = take_turns(session, desk)
    assert again is not None
    assert again.name == begun.name
    assert [one.state for one in candidates_of(session, desk)] == ["running", "waiting"]
    desk.drop(session, begun.name)
    drop(session, first.name)

    def next_runs() -> bool:
        return [one.state for one in candidates_of(session, desk)] == ["running"]

    wait_until(next_runs, "the second to begin")
    assert [one.name for one in tried_of(session)] == [second.name]


def test_a_candidate_that_a_server_took_with_it_is_lost(session: WorkSession, desk: Desk) -> None:
    """Another server has no such job."""
    try_out(session, "first", "anonymize", {"k": 5})
    take_turns(session, desk)
    (other,) = candidates_of(session, Desk())
    assert other.state == "lost"


def test_candidates_outlive_k_and_no_other_choice(session: WorkSession, desk: Desk) -> None:
    """Each says its own k; roles are the project file's, and so are hierarchies."""
    try_out(session, "first", "anonymize", {"k": 5})
    with session.changed() as document:
        set_value(document, "privacy.k", 9)
        set_value(document, "advice.public", value=True)
    assert not candidates_of(session, desk)[0].earlier
    with session.changed() as document:
        set_role(document, "sex", "sensitive")
    assert candidates_of(session, desk)[0].earlier


def test_figures_stay_those_of_the_choices_they_were_computed_for(
    session: WorkSession, desk: Desk
) -> None:
    """A chosen candidate is prepared with later choices; undoing these brings its figures back."""
    one = try_out(session, "first", "anonymize", {"k": 5})
    keep(session, one, JobRecord("j", "trial", "first", found={"risk": 0.1}))
    with session.changed() as document:
        set_role(document, "sex", "sensitive")
    changed(session, one.name, basis=basis_of(session))  # as the release is prepared
    (found,) = candidates_of(session, desk)
    assert (found.earlier, found.prepared) == (True, True)
    assert session.undo()
    (found,) = candidates_of(session, desk)
    assert (found.earlier, found.prepared) == (False, False)


def test_what_is_dropped_is_chosen_no_longer(session: WorkSession) -> None:
    """Nor is anything left of it."""
    one = try_out(session, "first", "anonymize", {"k": 5})
    session.find(facts_of(one), {"risk": 0.1})
    one.folder(session).mkdir(parents=True)
    choose(session, one.name)
    assert chosen_of(session).name == one.name
    drop(session, one.name)
    assert chosen_of(session) == USUAL
    assert not session.facts(facts_of(one))
    assert not one.folder(session).exists()
    with pytest.raises(SettingError, match="this candidate does not exist"):
        choose(session, one.name)


def frontier(session: WorkSession, number: int) -> dict[str, Any]:
    """Facts of a frontier of so many policies."""
    return {
        "points": [[n, (n + 1) / number, 1 - n / number, [n % 3], True] for n in range(number)],
        "phrases": ["kept as it is", "by year", "removed"],
        "attributes": ["age"],
        "original": [None, 1.0, 0.0, [0], True],
        "safe_harbor": None,
        "number": number,
        "units": "records",
        "basis": basis_of(session),
    }


def test_policies_are_listed_a_page_at_a_time(session: WorkSession) -> None:
    """From anywhere to the end, with their words."""
    facts, declared = frontier(session, 30), declared_of(choices_of(session))
    assert [row["index"] for row in listed(facts, 29, declared)["rows"]] == list(range(24, 30))
    assert listed(facts, 99999, declared)["rows"][-1]["index"] == 29
    assert listed(facts, 13, declared)["rows"][0] == {
        "index": 12,
        "risk": 13 / 30,
        "loss": 1 - 12 / 30,
        "words": ["kept as it is"],
        "kept": False,
        "why_not": "",
    }


def test_the_map_is_given_with_its_scales(session: WorkSession) -> None:
    """So that the page's script finds the place of each point in either picture."""
    facts, declared = frontier(session, 300), declared_of(choices_of(session))
    found = points(facts, (), declared)
    assert len(found["points"]) == 300
    assert set(found["scales"]) == {"wide", "narrow"}
    assert found["scales"]["wide"]["high"] == 0
    assert points({}, (), declared) == {"points": [], "releases": []}


def test_a_population_that_the_form_names_is_the_candidates_own(session: WorkSession) -> None:
    """The project file is unchanged, so earlier candidates stay on the map."""
    before = session.project.read_text()
    form = {"kind": "k-map", "k": "5", "population": "people.csv", "population_counts": "n"}
    (made,) = requested(session, form)
    assert (made.population, made.population_counts) == ("people.csv", "n")
    assert session.project.read_text() == before


def test_k_map_does_not_go_with_persons(session: WorkSession) -> None:
    """It is refused at the form."""
    with session.changed() as document:
        set_value(document, "roles.person", "patient")
    form = {"kind": "k-map", "k": "5", "population": "people.csv"}
    with pytest.raises(SettingError, match="does not work with a person ID column"):
        trials_of(form, (), choices_of(session))
