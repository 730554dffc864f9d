"""Paper 003's experiments, on synthetic people and, if available, on a part of the real data."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE, ticking

from roadstead.errors import OutputError, SourceError
from roadstead.policies.full_domain import FullDomain, Levels, is_below
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Progress
from roadstead_reproductions import datasets, reproduction
from roadstead_reproductions.prasser2016 import experiments, published
from roadstead_reproductions.prasser2016.cases import NAMES, Case, load, made_up
from roadstead_reproductions.prasser2016.convergence import course
from roadstead_reproductions.prasser2016.experiments import Extent, reproduce
from roadstead_reproductions.prasser2016.heuristics import compare, heuristics, looking_at
from roadstead_reproductions.prasser2016.lattices import empty, weight
from roadstead_reproductions.prasser2016.recordings import record_best_first, record_flash
from roadstead_reproductions.prasser2016.tags import ExplicitTags, flash_with
from roadstead_reproductions.prasser2016.watching import watching
from roadstead_reproductions.predictive_stores import mirrored, replay
from roadstead_reproductions.reproduction import Reproduction
from roadstead_reproductions.searches.best_first import best_first
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.heuristics import igreedy
from roadstead_reproductions.searches.ledger import (
    HOPELESS,
    INSUFFICIENT,
    SUFFICES,
    VISITED,
    Tags,
    generalizations,
    levels_of,
)
from roadstead_reproductions.survey import survey
from roadstead_reproductions.tables import Column, Picture, ResultTable, shown

TINY = Extent(
    name="tiny",
    attributes=4,
    subset_attributes=3,
    sample=2,
    survey_records=400,
    survey_attributes=5,
    survey_seconds=PATIENCE,
    operations=1_000,
    memory_attributes=(3, 4),
    memory_seconds=PATIENCE,
    explicit_policies=50,
)


def quiet(_: str) -> None:
    """Report nothing."""


@pytest.fixture(scope="module")
def people() -> Case:
    """A made-up survey of few people."""
    return made_up(survey(400), "People")


@pytest.fixture(scope="module")
def small(people: Case) -> Case:
    """Four of their attributes: 2 * 3 * 4 * 4 policies."""
    return people.of(("sex", "region", "education", "income"))


@pytest.fixture(scope="module")
def found(people: Case) -> Reproduction:
    """All experiments on them."""
    return reproduce([people], TINY, quiet)


# The marks of a lattice, three ways.

SPACE = FullDomain(("a", "b", "c"), (0, 1, 0), (2, 2, 3))
EVERY = levels_of(SPACE, np.arange(SPACE.size))


def test_the_explicit_lattice_links_every_policy_to_its_neighbors() -> None:
    """Up to its direct generalizations, down to the policies whose generalization it is."""
    tags = ExplicitTags(SPACE)
    for number, levels in enumerate(EVERY):
        above = {EVERY[i] for i in tags._above[number] if i >= 0}
        below = {EVERY[i] for i in tags._below[number] if i >= 0}
        assert above == set(generalizations(SPACE, levels))
        assert below == {other for other in EVERY if levels in generalizations(SPACE, other)}


@sparing
@given(st.lists(st.tuples(st.sampled_from((1, 2, 4, 8)), st.sampled_from(EVERY)), max_size=12))
def test_marks_stand_where_the_definition_puts_them(marks: list[tuple[int, Levels]]) -> None:
    """A mark passes up or down, or not at all; whatever keeps the marks, they are the same."""
    array, explicit, implicit = Tags(SPACE), ExplicitTags(SPACE), empty()
    for mark, levels in marks:
        for tags in (array, explicit, implicit):
            if mark == VISITED:
                tags.mark(levels, mark)
            elif mark == HOPELESS:
                tags.mark_down(levels, mark)
            else:
                tags.mark_up(levels, mark)
    for levels in EVERY:
        wanted = 0
        for mark, at in marks:
            passes = {
                VISITED: levels == at,
                HOPELESS: is_below(levels, at),
                SUFFICES: is_below(at, levels),
                INSUFFICIENT: is_below(at, levels),
            }
            wanted |= mark if passes[mark] else 0
        assert array[levels] == explicit[levels] == wanted
        assert implicit[levels] == (HOPELESS if wanted & HOPELESS else wanted)
        assert implicit.copy()[levels] == implicit[levels]


def test_implicit_marks_refuse_what_does_not_pass_that_way() -> None:
    """Only a visit stays where it is, only too much suppressed passes down."""
    with pytest.raises(ValueError, match="passes on"):
        empty().mark((0, 1, 0), HOPELESS)
    with pytest.raises(ValueError, match="does not pass down"):
        empty().mark_down((0, 1, 0), SUFFICES)


def test_flash_takes_the_same_steps_with_all_marks(small: Case) -> None:
    """And finds the same policy, at the same evaluation."""
    problem = small.problem()
    runs = [
        flash().run(problem, Control()),
        flash_with(ExplicitTags(problem.space), problem, Control()),
        flash_with(empty(), problem, Control()),
        record_flash(small).outcome,
    ]
    assert len({(run.best, run.evaluated, run.first_met, run.proven) for run in runs}) == 1


def test_what_is_weighed_is_what_is_kept() -> None:
    """A million bytes weigh a million bytes, and what was thrown away weighs nothing."""
    assert 1_000_000 <= weight(lambda: np.ones(1_000_000, dtype=np.uint8)) < 1_010_000
    assert weight(lambda: np.ones(1_000_000, dtype=np.uint8).sum()) < 10_000


# Recordings.


def test_best_first_is_recorded_without_being_changed(small: Case) -> None:
    """Its trace explains its counts: an insertion counts if nothing below was there before."""
    recording = record_best_first(small)
    plain = best_first().run(small.problem(), Control())
    assert recording.outcome.evaluated == plain.evaluated
    assert recording.outcome.best == plain.best
    (record,) = recording.properties
    added: set[Levels] = set()
    inserts = hits = queries = 0
    for operation, levels in record.trace:
        known = any(is_below(other, levels) for other in added)
        if operation == "add":
            inserts += not known
            added.add(levels)
        else:
            queries += 1
            hits += known
    minimal = {x for x in added if not any(y != x and is_below(y, x) for y in added)}
    assert (record.inserts, record.queries, record.hits, record.kept) == (
        inserts,
        queries,
        hits,
        len(minimal),
    )
    assert record.queries > 0


def test_both_properties_of_flash_can_be_replayed(small: Case) -> None:
    """Too much suppression passes down, and is reversed; all structures agree on both."""
    recording = record_flash(small)
    up, down = recording.properties
    assert [up.name, down.name] == ["insufficient quality", "not anonymous"]
    assert down.queries > 0
    assert down.queries - down.hits == up.queries
    for record in (up, down):
        assert len(replay(record.trace, rounds=1)) == 4
    hopeless = {levels for operation, levels in mirrored(down.trace) if operation == "add"}
    problem = small.problem()
    assert hopeless
    for levels in hopeless:
        assert problem.space.bottom <= levels <= problem.space.top


# Convergence and heuristics.


def test_a_course_climbs_and_ends_with_its_search(small: Case) -> None:
    """Time goes on, quality rises until the end, where it is that of the outcome."""
    for search in (best_first(), Exact(), igreedy()):
        with ticking(1.0):
            run = course(search, small)
        assert run.outcome.best is not None
        times, qualities = zip(*run.steps, strict=True)
        assert all(a < b for a, b in pairwise(times))
        assert all(a < b for a, b in pairwise(qualities[:-1]))
        assert qualities[-1] == 1.0 - run.outcome.best.loss
        assert run.to_best in times


def test_looks_become_rarer(small: Case) -> None:
    """The next is due when a fiftieth of the time has passed."""
    seen: list[float] = []

    def look(progress: Progress) -> None:
        seen.append(progress.seconds)

    control = watching(look)
    with ticking(1.0):
        control.begin()
        for _ in range(500):
            control.report_progress(lambda: Progress(1, control.seconds, None, 0.0, 0))
    gaps = [later - earlier for earlier, later in pairwise(seen)]
    assert gaps == sorted(gaps)
    assert control.interval == pytest.approx(0.02 * (seen[-1] + 1.0))  # it looked once more
    assert gaps[0] < gaps[-1]
    seen.clear()
    with ticking(1.0):
        best_first().run(small.problem(), watching(look))
    assert len(seen) > 1


@pytest.mark.parametrize("policies", [1, 2, 5])
def test_a_search_can_be_ended_after_so_many_policies(small: Case, policies: int) -> None:
    """No more, no less, and no clock in it."""
    assert best_first().run(small.problem(), looking_at(policies)).evaluated == policies


def test_a_comparison_is_relative_to_what_igreedy_reached(small: Case) -> None:
    """With time enough, nothing is worse; by evaluations, the figure is that of the definition."""
    problem = small.problem()
    greedy = igreedy().run(problem, Control())
    other = best_first().run(problem, looking_at(greedy.evaluated))
    assert greedy.best is not None
    wanted = None
    if other.best is not None:
        wanted = (1 - other.best.loss) / (1 - greedy.best.loss) - 1
    got = compare(problem).by_evaluations
    assert (got is None) == (wanted is None)
    assert got == pytest.approx(wanted, abs=1e-12) if wanted is not None else True


def test_all_subsets_are_taken_unless_a_sample_is_asked_for(people: Case) -> None:
    """Four things taken three at a time are four; a sample is one of its seed."""
    four = people.of(("sex", "region", "education", "income"))
    told: list[str] = []
    table, ours = heuristics([four], 9, None, 1, told.append)
    assert [(row["attributes"], row["subsets"]) for row in table.rows] == [(3, 4), (4, 1)]
    assert len(told) == 2
    for row in table.rows:
        counts = str(row["counts"]).split(" / ")
        assert sum(map(int, counts)) == row["subsets"]
    sampled, _ = heuristics([four], 3, 2, 1, quiet)
    assert [row["subsets"] for row in sampled.rows] == [2]
    assert ours.names != table.names


# All of it, and its files.


def test_every_experiment_gives_a_table(found: Reproduction) -> None:
    """With a figure or an honest gap in every cell, as plain JSON."""
    tables = {table.name: table for table in found.tables}
    assert list(tables) == [
        "table-1-structures",
        "table-2-statistics",
        "lattices",
        "figure-5-memory",
        "optima",
        "figure-7a-optimum",
        "figure-7b-quality",
        "table-5-improvement",
        "table-5-exact",
    ]
    for table in found.tables:
        assert table.rows, table.name
        assert all(len(table.texts(row)) == len(table.columns) for row in table.rows)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["paper"] == "prasser2016"
    assert [row["data"] for row in tables["lattices"].rows] == ["People"]
    largest = tables["figure-5-memory"].rows[1]
    assert largest["explicit_bytes"] is None  # more policies than are to be built
    assert largest["antichain_bytes"]


def test_every_picture_says_what_it_shows(found: Reproduction) -> None:
    """It has a title, and each axis with numbers has one too, with its unit or scale."""
    assert len(found.pictures) == 7
    for picture in found.pictures:
        assert picture.title
        text = json.dumps(picture.specification, allow_nan=False)
        for axis in ("x", "y"):
            for channel in channels(picture.specification, axis):
                if channel.get("type") == "quantitative" and "axis" in channel:
                    assert channel["title"], text


@pytest.mark.nightly
def test_every_picture_can_be_drawn(found: Reproduction, tmp_path: Path) -> None:
    """In both forms, with its title in it."""
    for picture in found.pictures:
        reproduction._write_picture(picture, tmp_path)
        drawn = (tmp_path / f"{picture.name}.svg").read_text("utf-8")
        assert picture.specification["title"]["text"].partition(" ")[0] in drawn
        assert (tmp_path / f"{picture.name}.png").stat().st_size > 5_000


def channels(specification: Any, axis: str) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """Every definition of an axis in a specification."""
    if isinstance(specification, list):
        return [c for part in specification for c in channels(part, axis)]
    if not isinstance(specification, dict):
        return []
    own = specification.get("encoding", {}).get(axis)
    inner = [c for part in specification.values() for c in channels(part, axis)]
    return [*([own] if isinstance(own, dict) else []), *inner]


PAIR = Column("ours", "ours", "count", "theirs")
SMALL_TABLE = ResultTable(
    "small",
    "A table",
    (Column("data", "data", "text"), PAIR),
    ({"data": "x", "ours": 1234, "theirs": 5},),
    ("A note.",),
)
DOT: dict[str, Any] = {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {}}
SMALL = Reproduction(
    "p", "A paper.", {"k": 5}, (SMALL_TABLE,), (Picture("dot", "A dot", DOT),), 1.0
)


def test_the_files_hold_what_was_found(tmp_path: Path) -> None:
    """Figures unrounded, pictures in two forms, and a page that says what was run."""
    out = tmp_path / "out"
    SMALL.write(out)
    assert {path.name for path in out.iterdir()} == {
        "small.csv",
        "dot.svg",
        "dot.png",
        "README.md",
        "results.json",
    }
    with (out / "small.csv").open(encoding="utf-8", newline="") as stream:
        assert list(csv.DictReader(stream)) == [{"data": "x", "ours": "1234", "theirs": "5"}]
    assert json.loads((out / "results.json").read_text("utf-8"))["tables"]["small"]["rows"] == [
        {"data": "x", "ours": 1234, "theirs": 5}
    ]
    assert (out / "dot.png").read_bytes().startswith(b"\x89PNG")
    page = (out / "README.md").read_text("utf-8")
    assert "| x | 1,234 (5) |" in page
    assert "A note." in page
    assert "![A dot](dot.svg)" in page


def test_only_a_former_reproduction_is_replaced(tmp_path: Path) -> None:
    """Only with force, and only if all files in it are Roadstead's."""
    out = tmp_path / "out"
    SMALL.write(out)
    with pytest.raises(OutputError, match="already exists"):
        reproduction.check_folder(out, force=False)
    SMALL.write(out, force=True)
    (out / "small.csv").write_text("changed")
    with pytest.raises(OutputError, match=r"'small\.csv', which is not part of an earlier"):
        SMALL.write(out, force=True)
    assert (out / "small.csv").read_text() == "changed"


@pytest.mark.parametrize(
    ("cell", "kind", "text"),
    [
        (None, "count", "-"),
        ("x", "text", "x"),
        (12960, "count", "12,960"),
        (0.00123, "seconds", "1.23 ms"),
        (36.84, "seconds", "36.8 s"),
        (1_011_000_000, "bytes", "1,011 MB"),
        (83_000_000, "bytes", "83.0 MB"),
        (17_400, "bytes", "17.4 kB"),
        (0.747, "share", "74.7%"),
        (0.00007, "share", "0.007%"),
        (0.0769, "change", "+7.69%"),
        (-0.0071, "change", "-0.71%"),
        (0.0461, "times", "0.0461"),
        (0.7570844289429579, "quality", "0.757084"),
    ],
)
def test_figures_are_written_for_readers(cell: Any, kind: Any, text: str) -> None:  # noqa: ANN401 - a case
    """Rounded, with their unit."""
    assert shown(cell, kind) == text


# The published figures, and the real data.


def test_the_published_figures_are_those_the_paper_speaks_of() -> None:
    """Sentences of the paper and of its results, worked out from the tables."""
    assert set(published.IMPROVEMENT) == set(published.BEST_FIRST)
    assert [
        published.BEST_FIRST[name, n][:2] for name, n in (("Adult", 9), ("Cup", 8), ("Fars", 8))
    ] == [
        (5319, 81),
        (6911, 3424),
        (3769, 56),
    ]
    no_result = {key for key, change in published.IMPROVEMENT.items() if change is None}
    assert no_result == {("Cup", 7), ("Cup", 8)}
    for (_, name), statistics in published.STATISTICS.items():
        assert 0 < statistics.hit_rate < 1
        assert (statistics.hit_rate > 0.7) == (name == "insufficient quality")
    assert published.MEMORY.explicit > 12 * published.MEMORY.implicit
    policies = {"Adult": 12_960, "Cup": 45_000, "Fars": 20_736}
    assert all(
        10 * checked < policies[name] for name, checked in published.FLASH_EVALUATIONS.items()
    )


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", NAMES)
def test_a_part_of_the_real_data_gives_the_published_optima(data_dir: Path, name: str) -> None:
    """Best-first evaluates as many policies, meets the optimum as early, and it is as good."""
    del data_dir
    reproduction = reproduce([load(name)], TINY, quiet)
    (optima,) = (table for table in reproduction.tables if table.name == "optima")
    assert [row["attributes"] for row in optima.rows] == [3, 4]
    for row in optima.rows:
        assert row["evaluated"] == row["evaluated_published"]
        assert row["first_met"] == row["first_met_published"]
        assert row["quality"] == pytest.approx(row["quality_published"], abs=1e-12)


@pytest.mark.nightly
def test_flash_on_all_of_adult_comes_near_the_published_statistics(data_dir: Path) -> None:
    """Within a few in a hundred for what is put in, as ties are broken otherwise."""
    del data_dir
    recording = record_flash(load("Adult"))
    assert recording.outcome.evaluated == pytest.approx(1180, rel=0.03)
    for record in recording.properties:
        known = published.STATISTICS["Adult", record.name]
        assert record.inserts == pytest.approx(known.inserts, rel=0.03)
        assert record.kept / record.inserts == pytest.approx(known.antichain_share, abs=0.04)
        assert record.hits / record.queries == pytest.approx(known.hit_rate, abs=0.07)


def test_fars_is_left_out_where_it_cannot_be_had(
    people: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the reason and the fix; without Adult there is nothing to reproduce."""
    missing = "Fars"

    def had(name: str) -> Case:
        if name == missing:
            raise SourceError("is not there", where=name, fix="get it")
        return people

    monkeypatch.setattr(experiments, "load", had)
    monkeypatch.setattr(experiments, "QUICK", TINY)
    told: list[str] = []
    reproduction = experiments.run(told.append, quick=True)
    assert "Fars is left out: Fars: is not there; get it" in told
    assert reproduction.settings["left out"] == ["Fars: Fars: is not there; get it"]
    missing = "Adult"
    with pytest.raises(SourceError, match="Adult: is not there"):
        experiments.run(quiet, quick=True)


def test_fars_says_how_it_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not fetched, because its public copy is written in numbers."""
    monkeypatch.delenv("ROADSTEAD_DATA", raising=False)
    with pytest.raises(SourceError, match=r"^fars: its public copy .* set ROADSTEAD_DATA"):
        datasets.data_set("fars")


@pytest.mark.slow
def test_a_full_run_reproduces_every_published_count_of_best_first(
    data_dir: Path, request: pytest.FixtureRequest
) -> None:
    """All attributes of all data sets; a quarter of an hour."""
    del data_dir
    if request.config.getoption("markexpr") != "slow":
        pytest.skip("a quarter of an hour: run it with -m slow")
    reproduction = experiments.run(quiet, quick=False)
    (optima,) = (table for table in reproduction.tables if table.name == "optima")
    assert {(row["data"], row["attributes"]) for row in optima.rows} == set(published.BEST_FIRST)
    for row in optima.rows:
        assert row["evaluated"] == row["evaluated_published"]
        assert row["first_met"] == row["first_met_published"]
        assert row["quality"] == pytest.approx(row["quality_published"], abs=1e-12)
