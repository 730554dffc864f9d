"""Searches of partitions from a table to a policy: results, refusals, and messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations, pairwise
from typing import Any, TypeAlias

import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from patience import ticking

from roadstead.errors import NoPolicyError, SettingError
from roadstead.jobs import SILENT, Observer
from roadstead.search.protocol import Progress
from roadstead.search.registry import PARTITIONS
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.anonymize.result import Anonymization
from roadstead.verbs.functions import anonymize
from roadstead_reproductions.searches.partition_heuristics import PartitionGenetic

few = examples(8)
"""Each example reads a table with the engine, which takes longer than the search."""
SEARCHES = list(PARTITIONS)
Record: TypeAlias = tuple[str | None, str | None, str]

AGES = (None, "-2.5", "1", "1.0", "3", "10")
STAGES = (None, "low", "middle", "high")
ORDER = ("none", "low", "middle", "severe", "high")
LISTED = {"kind": "ordered", "order": ORDER, "groups": []}
ANY_AGE = {"kind": "mapping", "groups": {"any": ["-2.5", "1", "1.0", "3", "10"]}}
records = st.lists(
    st.tuples(st.sampled_from(AGES), st.sampled_from(STAGES), st.sampled_from("xyz")),
    min_size=4,
    max_size=24,
)


def table(rows: Sequence[Record]) -> pa.Table:
    """Put records into a table."""
    columns = zip(("age", "stage", "sick"), zip(*rows, strict=True), strict=True)
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns})


def search(rows: Sequence[Record], name: str = "k-optimize", **settings: Any) -> Anonymization:  # noqa: ANN401 - as anonymize
    """Search the partitions of a small table."""
    given_ = {"age": ANY_AGE, "stage": LISTED}
    request = {"k": 2, "suppression": 1.0, "quality": "discernibility", "hierarchies": given_}
    asked: dict[str, Any] = {**request, **settings}
    if asked["quality"] == "discernibility" and "sick" not in asked.get("sensitive", ()):
        asked.setdefault("unchanged", ("sick",))
    observer = asked.pop("observer", SILENT)
    return AnonymizeRequest(table(rows), quasi=("age", "stage"), search=name, **asked).run(observer)


def age_key(value: str | None) -> Decimal:
    """Order ages by size, the missing one first."""
    return Decimal("-Infinity") if value is None else Decimal(value)


def stage_key(value: str | None) -> int:
    """Order stages as they are listed."""
    return -1 if value is None else ORDER.index(value)


KEYS: tuple[Callable[[str | None], Any], ...] = (age_key, stage_key)


def partitions(keys: list[Any]) -> Iterator[dict[Any, int]]:
    """Every way to cut an ordered domain: the interval of each value."""
    order = sorted(set(keys))
    for number in range(len(order)):
        for cuts in combinations(range(1, len(order)), number):
            yield {key: sum(cut <= at for cut in cuts) for at, key in enumerate(order)}


def judge(classes: dict[Any, Counter[str]], k: int, quality: str) -> tuple[float, int]:
    """Work the loss out by the definition, and the records suppressed."""
    records_ = sum(c.total() for c in classes.values())
    cost = gone = 0
    for targets in classes.values():
        size = targets.total()
        kept = size >= k
        gone += 0 if kept else size
        if quality == "discernibility":
            cost += size * (size if kept else records_)
        else:
            cost += size - max(targets.values()) if kept else size
    unit = records_**2 if quality == "discernibility" else records_
    return cost / unit, gone


def classes_of(rows: list[Record], ages: Any, stages: Any) -> dict[Any, Counter[str]]:  # noqa: ANN401 - functions
    """Group records by what becomes of age and stage."""
    found: dict[Any, Counter[str]] = {}
    for age, stage, sick in rows:
        found.setdefault((ages(age), stages(stage)), Counter())[sick] += 1
    return found


def least(rows: list[Record], k: int, quality: str, limit: int) -> float:
    """Enumerate every partition of both domains."""
    ages, stages = [age_key(r[0]) for r in rows], [stage_key(r[1]) for r in rows]
    judged = (
        judge(
            classes_of(
                rows,
                lambda v, bins=by_age: bins[age_key(v)],
                lambda v, bins=by_stage: bins[stage_key(v)],
            ),
            k,
            quality,
        )
        for by_age in partitions(ages)
        for by_stage in partitions(stages)
    )
    return min(loss for loss, gone in judged if gone <= limit)


@few
@given(
    rows=records,
    k=st.integers(2, 4),
    share=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]),
    quality=st.sampled_from(["discernibility", "classification"]),
)
def test_the_policy_is_the_best_and_its_rules_do_what_is_said(
    rows: list[Record], k: int, share: float, quality: str
) -> None:
    """Best by enumeration; what its rules make of the table is judged by the definition again."""
    target: dict[str, Any] = (
        {} if quality == "discernibility" else {"target": "sick", "sensitive": ("sick",)}
    )
    result = search(rows, k=k, suppression=share, quality=quality, **target)
    rules = {a.name: a.rule for a in result.policy.attributes}
    made = classes_of(
        rows,
        lambda value: rules["age"].label(value or ""),
        lambda value: rules["stage"].label(value or ""),
    )
    assert (result.loss, result.suppressed) == judge(made, k, quality)
    assert result.optimal
    assert (
        result.loss == result.outcome.lower_bound == least(rows, k, quality, int(share * len(rows)))
    )
    released = Counter(zip(*(result.to_arrow()[n].to_pylist() for n in rules), strict=True))
    kept = {labels: c.total() for labels, c in made.items() if c.total() >= k}
    for labels, number in kept.items():
        extra = released[tuple(label or None for label in labels)] - number
        assert extra in (0, result.draft.counts.masked)
    assert released.total() == len(rows) - result.draft.counts.dropped


@few
@given(rows=records, name=st.sampled_from(["k-optimize", "partition-greedy"]))
def test_labels_are_of_neighbors_and_levels_count_the_boundaries_removed(
    rows: list[Record], name: str
) -> None:
    """From none to all of them."""
    result = search(rows, name)
    for column, (attribute, key) in enumerate(zip(result.policy.attributes, KEYS, strict=True)):
        values = sorted({row[column] for row in rows}, key=key)
        labels = [attribute.rule.label(value or "") for value in values]
        places = len({key(value) for value in values})
        changes = sum(a != b for a, b in pairwise(labels))
        assert len(set(labels)) == changes + 1
        assert (attribute.level, attribute.levels) == (places - 1 - changes, places)
    sizes = [a.levels for a in result.policy.attributes]
    assert result.to_dict()["lattice_size"] == 2 ** (sum(sizes) - len(sizes))
    assert result.to_dict()["levels"] == {a.name: a.level for a in result.policy.attributes}


ROWS: list[Record] = [
    (age, stage, sick)
    for age, stage, sick, times in [
        ("1", "low", "x", 6),
        ("3", "low", "y", 5),
        ("3", "high", "x", 2),
        ("10", "middle", "x", 8),
        ("10", "high", "z", 4),
    ]
    for _ in range(times)
]


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", SEARCHES)
def test_the_document_has_its_keys(name: str) -> None:
    """The keys are the same for any search; the name is the requested one."""
    document = search(ROWS, name, k=3).to_dict()
    exact = anonymize(table(ROWS), quasi=("age", "stage"), k=3, suppression=1.0).to_dict()
    assert document.keys() == exact.keys()
    assert document["search"] == name
    assert document["optimal"] == (name == "k-optimize")
    assert document["lattice_size"] == 2**4
    assert document["hierarchies"] == {
        "age": "in numeric order",
        "stage": "as listed in order of 'stage'",
    }
    assert document["quality"] == {"kind": "discernibility"}
    assert 0 <= document["lower_bound"] <= document["loss"] < 1


@pytest.mark.nightly
def test_losses_of_columns_are_shares_of_the_values_listed() -> None:
    """Worked by hand: (values of the interval - 1) / (values - 1), averaged over the records."""
    result = search(ROWS, k=6, suppression=0.0)
    assert {a.name: a.does for a in result.policy.attributes} == {
        "age": "removed",
        "stage": "unchanged",
    }
    assert result.loss_by_attribute == {"age": 1.0, "stage": 0.0}
    result = search([(None, stage, "x") for stage in ("low", "high", "high")], k=2)
    # Keeping both costs 2² + 3 for the one suppressed; making them one costs 3². An age that is
    # missing everywhere has nothing to lose.
    assert (result.loss, result.suppressed) == (7 / 9, 1)
    assert result.loss_by_attribute == pytest.approx({"age": 0.0, "stage": 1 / 3})
    stages = [(None, stage, "x") for stage in ("low", "middle", "high", "high")]
    result = search(stages, k=2, suppression=0.0)
    # The interval of low and middle has four of the five values, including those between.
    assert result.loss_by_attribute["stage"] == pytest.approx((2 * 3 / 4 + 2 * 0) / 4)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"quality": "loss"}, r"quality: \S+ minimizes discernibility .* target"),
        ({"quality": "precision"}, "metric, not precision; use quality=.discernibility"),
        ({"quality": "classification"}, "requires a column to predict"),
        ({"min_level": {"age": 1}}, "min_level, max_level: .* leave the level limits out"),
        ({"max_level": {"age": 1}}, "min_level, max_level: .* leave the level limits out"),
        (
            {"privacy": [{"kind": "t-closeness", "t": 0.2}], "sensitive": ["sick"]},
            "privacy: .* only by their size",
        ),
    ],
)
def test_what_they_cannot_do_is_refused_with_the_mend(
    name: str, settings: dict[str, Any], message: str
) -> None:
    """Nothing is switched silently."""
    with pytest.raises(SettingError, match=message):
        search(ROWS, name, **settings)


def test_the_default_quality_is_not_switched() -> None:
    """It is Iyengar's loss, which these searches do not minimize."""
    with pytest.raises(SettingError, match='metric, not loss; use quality="discernibility"'):
        anonymize(table(ROWS), quasi=("age", "stage"), search="k-optimize")


@pytest.mark.nightly
def test_a_further_k_is_taken() -> None:
    """Of two sizes the larger must hold."""
    result = search(ROWS, k=2, privacy=[{"kind": "k-anonymity", "k": 7}])
    assert min(result.generalized.sizes) >= 7
    assert result.loss == search(ROWS, k=7).loss


def test_rare_values_are_not_listed_in_a_policy() -> None:
    """Listed values are the exception; two values make no group, and nothing is listed."""
    texts = [(None, stage, "x") for stage in ("low",) * 4 + ("middle",) * 4 + ("high",)]
    with pytest.raises(
        SettingError, match=r"values of 'stage' that fewer than 3 records have \(1 of 3 values\)"
    ):
        search(texts, k=3, hierarchies=None)
    assert search(texts, k=3).optimal
    assert search(texts[4:], k=3, hierarchies=None).optimal


def test_numbers_that_are_one_with_missing_ones_are_not_listed_if_they_are_rare() -> None:
    """Only then: a cut lists none."""
    rows: list[Record] = [(None, None, "x"), ("1", None, "x")]
    rows += [("20", None, "x")] * 9
    with pytest.raises(
        SettingError, match=r"values of 'age' that fewer than 2 records have \(1 of 2 values\)"
    ):
        search(rows, hierarchies=None)
    result = search([*rows[:1] * 2, *rows[1:], *rows[1:2]], hierarchies=None)
    assert result.policy.attributes[0].rule.kind == "identity"


@pytest.mark.nightly
def test_too_many_places_to_cut_are_refused() -> None:
    """Before anything is searched."""
    many: list[Record] = [(str(i), None, "x") for i in range(10_002)]
    with pytest.raises(SettingError, match=r"10,001 possible cuts; 'age' has the most"):
        search(many, hierarchies=None)


@pytest.mark.parametrize("name", SEARCHES)
def test_progress_is_told_in_losses(name: str) -> None:
    """Between 0 and 1, as everywhere."""
    told: list[Progress] = []
    many: list[Record] = [(str(i * i % 97), None, "x") for i in range(2_000)]
    with ticking(0.05):
        search(many, name, k=30, hierarchies=None, observer=Observer(told.append), time_limit=20)
    assert all(p.best is None or 0 < p.best.loss <= 1 for p in told)
    assert all(0 <= p.lower_bound <= 1 for p in told)
    if name == "partition-genetic":
        assert told


def test_a_search_ended_early_keeps_what_it_has_or_says_that_it_has_none() -> None:
    """k-Optimize knows the most general partition; merging may not have come so far."""
    many: list[Record] = [(str(i * i % 97), None, "x") for i in range(300)]
    result = search(many, k=12, suppression=0.0, time_limit=0.0, hierarchies=None)
    assert (result.outcome.ending, result.optimal) == ("time limit", False)
    assert result.suppressed == 0
    with pytest.raises(
        NoPolicyError, match=r"ended \(time limit\) before it found .* 12-anonymity"
    ):
        search(ROWS, "partition-greedy", k=12, suppression=0.0, time_limit=0.0)
    stopped = search(many, k=12, observer=Observer(stopped=lambda: True), hierarchies=None)
    assert stopped.outcome.ending == "interrupted"


@pytest.mark.nightly
def test_the_seed_is_of_the_genetic_search() -> None:
    """Without one it is 0; the others make no choice by chance."""
    made = [PARTITIONS["partition-genetic"](seed) for seed in (None, 3)]
    assert [one.seed for one in made if isinstance(one, PartitionGenetic)] == [0, 3]
    assert search(ROWS, seed=3).seed == 3
    assert search(ROWS, seed=3).policy == search(ROWS).policy
