"""Paper 001's simulation, compared with plain Python on small populations, and on real ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from effort import sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.cli.reproduce import experiments_of
from roadstead.errors import MissingExtraError, SettingError
from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.models.discernibility import Discernibility
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.tables.frequency import FrequencyTable
from roadstead_reproductions.elemam2008 import (
    class_histograms,
    experiments,
    findings,
    published,
    reasons,
    samples,
)
from roadstead_reproductions.elemam2008.checkpoints import Checkpoints, cache_folder, checkpoints
from roadstead_reproductions.elemam2008.experiments import Extent, reproduce
from roadstead_reproductions.elemam2008.findings import Curves
from roadstead_reproductions.elemam2008.lattices import Lattice, lattice_of
from roadstead_reproductions.elemam2008.populations import (
    Population,
    cup,
    fars,
    population_of,
    without,
)
from roadstead_reproductions.elemam2008.register import EVEN, Register, register
from roadstead_reproductions.elemam2008.rules import RULES, smallest
from roadstead_reproductions.elemam2008.samples import Releases, best_releases, draw, sampled
from roadstead_reproductions.elemam2008.simulation import Draws, Series, Simulated, simulate
from roadstead_reproductions.elemam2008.summaries import summarized, summary
from roadstead_reproductions.reproduction import Reproduction

TINY = Extent("tiny", 4, 2, fractions=(0.1, 0.2, 0.3, 0.6, 0.9), sizes=(3, 5), workers=1)
Person = tuple[str, ...]


def quiet(_: str) -> None:
    """Report nothing."""


def of_people(people: Sequence[Person], hierarchies: Sequence[Hierarchy]) -> Encoding:
    """Count people by combination and encode them."""
    domains = tuple(h.values for h in hierarchies)
    codes = tuple(
        np.array([domain.index(person[i]) for person in people], dtype=np.int32)
        for i, domain in enumerate(domains)
    )
    names = tuple(h.attribute for h in hierarchies)
    everyone = FrequencyTable(names, domains, codes, np.ones(len(people), np.int64))
    return encode(everyone.project(names), hierarchies)


AGES = from_columns(
    "age", [["1", "2", "3", "4", "5"], ["1-2", "1-2", "3-5", "3-5", "3-5"], ["*"] * 5], origin="t"
)
SEXES = from_columns("sex", [["f", "m"], ["*", "*"]], origin="t")
PLACES = from_columns(
    "place", [["a1", "a2", "b1", "b2"], ["a", "a", "b", "b"], ["*"] * 4], origin="t"
)
HIERARCHIES = (AGES, SEXES, PLACES)
PEOPLE = st.lists(st.tuples(*(st.sampled_from(h.values) for h in HIERARCHIES)), min_size=1)


def labels(hierarchies: Sequence[Hierarchy], person: Person, levels: Levels) -> Person:
    """Give a policy's labels for a person."""
    return tuple(
        h.levels[level].labels[h.levels[level].codes[h.values.index(value)]]
        for h, value, level in zip(hierarchies, person, levels, strict=True)
    )


def by_hand(
    hierarchies: Sequence[Hierarchy], people: Sequence[Person], drawn: Sequence[Person], size: int
) -> tuple[int, int, int, int, Levels]:
    """The best release by trying every policy: loss, suppressed, classes, fewest, policy."""
    found = []
    for levels in product(*(range(h.height) for h in hierarchies)):
        classes = Counter(labels(hierarchies, person, levels) for person in drawn)
        everyone = Counter(labels(hierarchies, person, levels) for person in people)
        kept = {key: count for key, count in classes.items() if count >= size}
        suppressed = len(drawn) - sum(kept.values())
        loss = sum(count * count for count in kept.values()) + len(drawn) * suppressed
        fewest = min((everyone[key] for key in kept), default=0)
        found.append((loss, sum(levels), levels, suppressed, len(kept), fewest))
    loss, _, levels, suppressed, classes_kept, fewest = min(found)
    return loss, suppressed, classes_kept, fewest, levels


def counted(encoding: Encoding, drawn: Sequence[Person], lattice: Lattice) -> np.ndarray:
    """Records of each combination, in the lattice's order."""
    rows = {
        tuple(h.values[code] for h, code in zip(encoding.hierarchies, codes, strict=True)): i
        for i, codes in enumerate(encoding.codes.T.tolist())
    }
    order = combination_of_rows(encoding, lattice)
    counts = np.zeros(lattice.combinations, np.int64)
    for person in drawn:
        counts[order[rows[person]]] += 1
    return counts


def combination_of_rows(encoding: Encoding, lattice: Lattice) -> list[int]:
    """The lattice's place of each row: rows in the order of their labels' codes."""
    keys = [
        tuple(int(lookup[0][code]) for lookup, code in zip(encoding.lookups, codes, strict=True))
        for codes in encoding.codes.T.tolist()
    ]
    places = {key: i for i, key in enumerate(sorted(set(keys)))}
    assert len(places) == lattice.combinations
    return [places[key] for key in keys]


# The optimum.


@sparing
@given(PEOPLE, st.data())
def test_the_best_release_is_that_of_trying_every_policy(
    people: list[Person], data: st.DataObject
) -> None:
    """With its discernibility, what it suppresses, and the actual risk in the population."""
    taken = data.draw(st.lists(st.booleans(), min_size=len(people), max_size=len(people)))
    drawn = [person for person, one in zip(people, taken, strict=True) if one]
    encoding = of_people(people, HIERARCHIES)
    lattice = lattice_of(encoding)
    found = best_releases(lattice, counted(encoding, drawn, lattice), 4)
    for size in (1, 2, 3, 4):
        *figures, policy = (int(row[size - 1]) for row in found)
        expected = by_hand(HIERARCHIES, people, drawn, size)
        assert (*figures, lattice.policies[policy]) == expected


@sparing
@given(PEOPLE, st.integers(2, 6))
def test_the_optimum_is_that_of_the_exact_search(people: list[Person], size: int) -> None:
    """Of k-anonymity with the discernibility metric and no limit of suppression."""
    encoding = of_people(people, HIERARCHIES)
    check_against_exact(encoding, size)


def check_against_exact(encoding: Encoding, size: int) -> None:
    """Anonymize all people, both ways."""
    lattice = lattice_of(encoding)
    counts = np.bincount(lattice.combination_of_each(), minlength=lattice.combinations)
    losses, suppressed, _, _, policies = best_releases(lattice, counts, size)
    problem = FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(size),
        quality=Discernibility().bind(encoding),
        limit=encoding.records,
    )
    best = Exact().run(problem, Control()).best
    assert best is not None
    assert lattice.policies[int(policies[-1])] == best.policy
    assert int(suppressed[-1]) == best.suppressed
    assert int(losses[-1]) == round(best.loss * encoding.records**2)


def test_the_optimum_of_a_register_is_that_of_the_exact_search() -> None:
    """On more classes than a hand can count."""
    made = few_physicians()
    for size in (2, 5):
        check_against_exact(encode(made.table, made.hierarchies), size)


@unhurried
@given(PEOPLE)
def test_sizes_of_all_classes_are_those_counted_one_by_one(people: list[Person]) -> None:
    """For every policy the same sizes, of the people and of a sample that is all of them."""
    encoding = of_people(people, HIERARCHIES)
    lattice = lattice_of(encoding)
    sizes = lattice.sizes(lattice.people[: lattice.combinations])
    assert (sizes == lattice.people).all()
    for i, levels in enumerate(lattice.policies):
        own = Counter(labels(HIERARCHIES, person, levels) for person in people)
        part = sizes[lattice.first[i] : lattice.first[i + 1]].tolist()
        assert sorted(part) == sorted(own.values())
        assert lattice.rare(3)[i] == sum(count < 3 for count in own.values())


@unhurried
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=8), min_size=1, max_size=5),
    st.integers(1, 12),
)
def test_the_metric_of_all_smallest_classes_is_the_sum_by_definition(
    policies: list[list[int]], largest: int
) -> None:
    """Kept classes cost their squares, each suppressed record costs them all."""
    first = np.cumsum([0, *map(len, policies)])
    sizes = np.array([size for own in policies for size in own], np.int64)
    costs = class_histograms.discernibility(sizes, first, largest)
    for i, own in enumerate(policies):
        for k in range(1, largest + 1):
            kept = [size for size in own if size >= k]
            expected = sum(s * s for s in kept) + sum(own) * (sum(own) - sum(kept))
            assert costs[i, k - 1] == expected


def test_a_lattice_can_be_limited() -> None:
    """To levels of some attributes; an invalid limit is refused."""
    population = small_population()
    kept = population.limited({"graduation year": 1, "gender": 0})
    assert {levels[1:] for levels in kept.policies} == {(0, 0), (1, 0)}
    with pytest.raises(SettingError, match="graduation"):
        population.limited({"graduation year": 99})


# Samples.


def few_physicians(offset: int = 12) -> Register:
    """A small register."""
    return register(1, people=600, codes=80, years=12, offset=offset)


@cache
def small_population(name: str = "small register") -> Population:
    """The small register in the place of the physicians'."""
    made = few_physicians()
    return population_of(name, published.PHYSICIANS, made.table, made.hierarchies, ("A note.",))


@pytest.fixture(scope="module")
def population() -> Population:
    """The small register."""
    return small_population()


@sparing
@given(st.floats(0.01, 1.0), st.integers(0, 10**6))
def test_a_sample_has_no_one_twice(fraction: float, seed: int) -> None:
    """It has the requested size, and no combination more often than the population."""
    population = small_population()
    lattice = population.lattice
    drawn = draw(lattice.combination_of_each(), lattice, fraction, [seed, 0])
    assert drawn.sum() == max(1, round(600 * fraction))
    assert (drawn <= lattice.people[: lattice.combinations]).all()


def test_everybody_is_drawn_as_often(population: Population) -> None:
    """Over many samples, within five standard errors."""
    lattice, times = population.lattice, 2_000
    everyone = np.arange(600, dtype=np.int32)
    alone = replace(lattice, first=np.array([0, 600]), people=np.ones(600, np.int64))
    drawn = sum(draw(everyone, alone, 0.3, [5, number]) for number in range(times))
    error = np.sqrt(0.3 * 0.7 / times)
    assert np.abs(drawn / times - 0.3).max() < 5 * error


def test_a_repetition_is_the_same_in_whatever_piece_it_is_done(population: Population) -> None:
    """Four samples at once, and one by one."""
    lattice = population.lattice
    together = sampled(lattice, 0.3, range(4), 7, 5)
    for number in range(4):
        alone = sampled(lattice, 0.3, range(number, number + 1), 7, 5)
        for name in ("losses", "suppressed", "classes", "fewest", "policies"):
            assert (getattr(alone, name)[0] == getattr(together, name)[number]).all()
    assert len({tuple(row) for row in together.losses.tolist()}) == 4


# Rules.


def test_rules_are_the_smallest_classes_that_are_known() -> None:
    """Worked out elsewhere, for k = 5, 10 and 15."""
    known = {
        ("D1", 5): (5, 5, 5, 5, 5),
        ("D2", 5): (2, 2, 3, 3, 5),
        ("D3", 5): (2, 3, 4, 5, 5),
        ("D4", 5): (3, 4, 4, 5, 5),
        ("D2", 10): (2, 3, 4, 6, 10),
        ("D4", 10): (4, 5, 6, 9, 10),
        ("D3", 15): (4, 6, 8, 12, 15),
        ("D4", 15): (4, 6, 8, 12, 15),
    }
    for (rule, k), sizes in known.items():
        assert tuple(smallest(rule, k, f) for f in (0.1, 0.2, 0.3, 0.5, 0.9)) == sizes


# The made-up register.


def test_the_register_is_what_the_paper_tells_of_the_real_one() -> None:
    """People, codes, years and genders; codes are Canadian, and the same for a seed."""
    made = register(2008)
    table = made.table
    assert table.records == 23_590
    assert [np.unique(codes).size for codes in table.codes] == [5_349, 70, 2]
    for code in table.domains[0]:
        assert code[0] in "KLMNP"
        assert code[1::2].isdigit()
        assert code[0::2].isalpha()
    again = register(2008).table
    assert all((a == b).all() for a, b in zip(table.codes, again.codes, strict=True))
    by_code = np.bincount(table.codes[0], weights=table.counts)
    assert 0.25 < (by_code == 1).mean() < 0.4
    assert by_code.max() > 200
    even = register(2008, offset=EVEN).table
    assert np.bincount(even.codes[0], weights=even.counts).max() < 20


def test_records_of_unknown_value_are_left_out(population: Population) -> None:
    """And no others."""
    table = population.encoding.table
    kept = without(table, {"gender": ("F",), "graduation year": ("2006", "none")})
    for (_, year, gender), count in rows_of(table).items():
        expected = 0 if gender == "F" or year == "2006" else count
        assert rows_of(kept).get((_, year, gender), 0) == expected


def rows_of(table: FrequencyTable) -> dict[Person, int]:
    """Count of each combination."""
    texts = zip(
        *(
            [domain[code] for code in codes.tolist()]
            for domain, codes in zip(table.domains, table.codes, strict=True)
        ),
        strict=True,
    )
    return dict(zip(texts, table.counts.tolist(), strict=True))


# Going on after an interruption.


def one_series(population: Population) -> Series:
    """A few samples of two fractions."""
    return Series("one", population.lattice, (0.2, 0.4), 60)


def equal(first: Simulated, second: Simulated) -> bool:
    """Whether two simulations found the same."""
    return all(
        (getattr(one, name) == getattr(second.releases[key], name)).all()
        for key, one in first.releases.items()
        for name in ("losses", "suppressed", "classes", "fewest", "policies")
    )


def test_an_interrupted_simulation_goes_on(population: Population, tmp_path: Path) -> None:
    """Finished work is kept, missing or broken work is repeated, and the result is equal."""
    series, told = one_series(population), list[str]()
    plain = simulate([series], Draws(1, 5), 1, quiet)
    kept = Checkpoints(tmp_path / "kept")
    first = simulate([series], Draws(1, 5, kept), 1, told.append)
    files = sorted(kept.folder.iterdir())
    assert (first.taken_over, first.pieces, len(files)) == (0, 4, 4)
    assert any(str(kept.folder) in line for line in told)
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-40])
    again = simulate([series], Draws(1, 5, kept), 1, quiet)
    assert again.taken_over == 2
    assert equal(plain, first)
    assert equal(plain, again)
    assert simulate([series], Draws(1, 5, kept), 1, quiet).taken_over == 4
    kept.forget()
    assert not kept.folder.exists()


def test_results_of_another_size_are_not_taken_over(tmp_path: Path) -> None:
    """Nor what is not there."""
    kept = Checkpoints(tmp_path)
    table = np.zeros((2, 3), np.int64)
    found = Releases(table, table, table, table, table, 1.5)
    assert kept.get("a", (2, 3)) is None
    kept.put("a", found)
    again = kept.get("a", (2, 3))
    assert again is not None
    assert again.seconds == 1.5
    assert kept.get("a", (2, 4)) is None
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_a_result_that_cannot_be_kept_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, population: Population
) -> None:
    """And the simulation goes on without it."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no space left")

    kept = Checkpoints(tmp_path)
    monkeypatch.setattr(np, "savez_compressed", full)
    found = simulate([one_series(population)], Draws(1, 5, kept), 1, quiet)
    assert list(tmp_path.iterdir()) == []
    assert equal(simulate([one_series(population)], Draws(1, 5), 1, quiet), found)


def test_results_are_kept_by_what_they_depend_on(
    population: Population, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another seed, class or population has another folder, all in the user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lattice = population.lattice
    limited = population.limited({"gender": 0})
    folders = [
        checkpoints("paper", own, seed, largest).folder
        for own, seed, largest in (
            ([lattice], 1, 5),
            ([lattice], 2, 5),
            ([lattice], 1, 6),
            ([limited], 1, 5),
            ([lattice, limited], 1, 5),
        )
    ]
    assert len(set(folders)) == len(folders)
    assert {folder.parent for folder in folders} == {tmp_path / "roadstead" / "paper"}
    assert folders[0] == checkpoints("paper", [small_population().lattice], 1, 5).folder
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache_folder() == Path.home() / ".cache" / "roadstead"


@pytest.mark.nightly
def test_several_processes_find_the_same(population: Population) -> None:
    """As one does."""
    series = Series("one", population.lattice, (0.3,), 60)
    alone = simulate([series], Draws(1, 5), 1, quiet)
    assert equal(alone, simulate([series], Draws(1, 5), 2, quiet))


# Summaries and findings.


def test_a_summary_is_the_mean_of_its_samples(population: Population) -> None:
    """Computed from four samples by hand; a release without records has a risk of zero."""
    series = Series("one", population.lattice, (0.5,), 4)
    losses = np.array([[10, 20, 40]] * 2 + [[30, 30, 60]] * 2, np.int64)
    suppressed = np.array([[0, 30, 60]] * 2 + [[0, 0, 0]] * 2, np.int64)
    fewest = np.array([[1, 2, 4], [1, 2, 5], [1, 4, 4], [1, 0, 4]], np.int64)
    policies = np.array([[0, 1, 1]] * 3 + [[0, 2, 1]], np.int64)
    releases = Releases(losses, suppressed, np.full((4, 3), 7), fewest, policies, 1.0)
    found = summary(series, 0.5, 3, "D4", releases, 2)
    assert found.risk == pytest.approx((0.5 + 0.5 + 0.25 + 0) / 4)
    assert found.above == 0.5
    assert found.relative_loss == 0.5
    assert found.suppressed == pytest.approx(0.5 * 30 / 300)
    assert found.deviation == pytest.approx(np.std([0.5, 0.5, 0.25, 0.0], ddof=1))
    assert found.levels == series.lattice.policies[1]
    assert found.classes == 7
    assert found.threshold == pytest.approx(1 / 3)


def test_findings_are_read_off_the_curves(population: Population) -> None:
    """Where a rule is above the threshold last, and in what order the losses are."""
    fractions = (0.1, 0.3, 0.6)
    series = Series("one", population.lattice, fractions, 4)
    simulated = simulate([series], Draws(1, 5), 1, quiet)
    found = summarized([series], simulated, (5,))
    risks = {"D1": (0.1, 0.15, 0.2), "D2": (0.3, 0.3, 0.2), "D3": (0.3, 0.2, 0.2)}
    for rule, values in risks.items():
        for fraction, value in zip(fractions, values, strict=True):
            key = ("one", fraction, 5, rule)
            found[key] = replace(found[key], risk=value)
    losses = {"D2": (0.2, 0.9, 1.0), "D3": (0.2, 0.8, 1.0), "D4": (0.9, 1.0, 1.0)}
    for rule, values in losses.items():
        for fraction, value in zip(fractions, values, strict=True):
            key = ("one", fraction, 5, rule)
            found[key] = replace(found[key], relative_loss=value)
    curves = Curves(found, series, 5)
    assert [curves.above_up_to(rule) for rule in ("D1", "D2", "D3")] == [0.0, 0.3, 0.1]
    assert curves.risks("D1") == pytest.approx([0.5, 0.75, 1.0])
    assert curves.in_order() == pytest.approx(2 / 3)
    assert [s.holds(v) for s, v in zip(findings.STATEMENTS[:4], (0.4, 1, 0.6, 0.3), strict=True)]
    assert not findings.STATEMENTS[0].holds(0.6)
    assert not findings.STATEMENTS[3].holds(0.2)


def test_no_rule_but_d1_is_sure_to_stay_below_the_threshold(population: Population) -> None:
    """As k records are k people at least. The others lose no more than it does."""
    series = Series("one", population.lattice, (0.1, 0.5, 0.9), 20)
    simulated = simulate([series], Draws(3, 5), 1, quiet)
    found = summarized([series], simulated, (2, 5))
    for (_, fraction, k, rule), one in found.items():
        base = found["one", fraction, k, "D1"]
        assert base.above == 0.0
        assert base.risk <= 1 / k
        assert one.smallest <= base.smallest
        assert one.relative_loss <= 1.0 + 1e-12
        if rule == "D1":
            assert one.relative_loss == 1.0


# The whole reproduction.


@pytest.fixture(scope="module")
def found(population: Population) -> Reproduction:
    """All of it, on the small register and an even one."""
    made = few_physicians(EVEN)
    even = population_of("even", published.PHYSICIANS, made.table, made.hierarchies)
    return reproduce([population], TINY, quiet, even=even, left_out={"Fars": "not here"})


def test_every_figure_has_its_tables_and_its_picture(found: Reproduction) -> None:
    """For each k, and with detail kept."""
    names = {table.name for table in found.tables}
    figures = {
        f"{measure}-k{k}{suffix}"
        for measure in ("risk", "discernibility", "suppression")
        for k in (3, 5)
        for suffix in ("", "-detail-kept")
    }
    assert figures <= names
    pictures = {picture.name for picture in found.pictures}
    assert pictures == {
        name for name in figures if name != name.replace("k3", "") or "kept" not in name
    }
    assert {"findings", "populations", "smallest-classes", "reasons-policies"} <= names
    json.dumps(found.to_dict())


def test_the_figures_are_those_of_the_samples(found: Reproduction, population: Population) -> None:
    """Drawn and anonymized again, one by one."""
    tables = {table.name: table for table in found.tables}
    releases = sampled(population.lattice, 0.2, range(4), TINY.seed, 5)
    row = next(row for row in tables["risk-k5"].rows if row["fraction"] == 0.2)
    for rule in RULES:
        own = releases.fewest[:, smallest(rule, 5, 0.2) - 1]
        assert row[rule] == pytest.approx((1 / own).mean())
        assert row[f"{rule}_above"] == pytest.approx((own < 5).mean())


def test_every_statement_is_answered_for_each_population(found: Reproduction) -> None:
    """With all policies and with detail kept; and notes say why ours differ."""
    table = next(table for table in found.tables if table.name == "findings")
    assert len(table.rows) == 2 * len(findings.STATEMENTS)
    assert all(set(str(row["holds"]).split(", ")) <= {"yes", "no"} for row in table.rows)
    published_loss = [row for row in table.rows if str(row["published"]).startswith("0.45")]
    assert len(published_loss) == 2
    assert len(table.notes) >= 2


def test_the_pictures_can_be_drawn(found: Reproduction, tmp_path: Path) -> None:
    """And everything written."""
    out = tmp_path / "out"
    few = replace(found, pictures=found.pictures[:3])
    few.write(out)
    for picture in few.pictures:
        assert picture.title.split(",")[0] in (out / f"{picture.name}.svg").read_text("utf-8")
        assert (out / f"{picture.name}.png").stat().st_size > 5_000


def test_a_full_run_removes_what_it_kept(
    population: Population, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is complete, and not before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    told = list[str]()
    extent = replace(TINY, repetitions=2, resumes=True)

    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(experiments, "_results", broken)
        with pytest.raises(KeyboardInterrupt):
            reproduce([population], extent, told.append)
    kept = list((tmp_path / "roadstead" / "elemam2008").iterdir())
    assert len(kept) == 1
    found = reproduce([population], extent, told.append)
    pieces = found.settings["pieces of work"]
    assert found.settings["of these, reused from an interrupted run"] == pieces > 0
    assert not kept[0].exists()


def test_where_two_tests_ask_the_same_they_cannot_differ() -> None:
    """D3 and D4 at 0.3, for k = 5."""
    assert smallest("D3", 5, 0.3) == smallest("D4", 5, 0.3) == 4
    curves = Curves({}, Series("one", small_population().lattice, reasons.SMALL, 1), 5)
    (told,) = reasons._where_tests_agree(curves, 5)
    assert told.startswith("At 0.3, D3 and D4 require classes of the same size")


def test_the_paper_can_be_asked_for() -> None:
    """By its name on the command line."""
    own = experiments_of("elemam2008")
    assert own is experiments


# The real populations.


@pytest.mark.nightly
def test_the_real_populations_are_those_of_the_paper(data_dir: Path) -> None:
    """Without unknown values: 98 ages, two sexes; the date of death is a month and a day."""
    assert (data_dir / "fars").is_dir()
    own = fars()
    assert own.people == 93_774
    assert own.values["iage"] == 98
    assert own.values["isex"] == 2
    veterans = cup()
    assert veterans.people == 62_444
    assert veterans.values["GENDER"] == 2


@pytest.mark.nightly
def test_a_sample_of_a_real_population_is_anonymized_best(data_dir: Path) -> None:
    """As the exact search does it."""
    assert (data_dir / "fars").is_dir()
    own = fars()
    lattice = own.lattice
    drawn = draw(lattice.combination_of_each(), lattice, 0.1, [1, 0])
    everyone = combination_of_rows(own.encoding, lattice)
    counts = drawn[everyone]
    there = counts > 0
    table = own.encoding.table
    sample = replace(
        table, codes=tuple(codes[there] for codes in table.codes), counts=counts[there]
    )
    encoding = encode(sample, own.encoding.hierarchies)
    losses, suppressed, _, _, policies = best_releases(lattice, drawn, 5)
    problem = FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(5),
        quality=Discernibility().bind(encoding),
        limit=encoding.records,
    )
    best = Exact().run(problem, Control()).best
    assert best is not None
    assert best.policy == lattice.policies[int(policies[-1])]
    assert best.suppressed == int(suppressed[-1])
    assert round(best.loss * encoding.records**2) == int(losses[-1])
    assert samples.records_of(0.1, own.people) == encoding.records


def test_without_the_data_fars_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The register needs none, and Cup is fetched."""
    monkeypatch.setattr(experiments, "cup", small_population)

    def missing() -> Population:
        raise MissingExtraError("it is not here", fix="get it")

    monkeypatch.setattr(experiments, "fars", missing)
    monkeypatch.setattr(experiments, "physicians", lambda *_: small_population("physicians"))
    monkeypatch.setattr(experiments, "QUICK", TINY)
    found = experiments.run(quiet, quick=True)
    assert "not here" in str(found.settings["left out"])
