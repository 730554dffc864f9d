"""Models that use a sensitive column, each compared with its definition in plain Python.

Definitions receive the records of a class by value, those of the whole table, and the values. They
use fractions wherever the model is defined with fractions.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log, log2, prod
from typing import Any

import pytest
from effort import sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st
from sensitive import COLUMN, Records, Sample, sample_of, samples

from roadstead.errors import PolicyError, SettingError
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.privacy.registry import PRIVACY_MODELS
from roadstead.privacy.settings import model_from, needs_column

Domain = tuple[str, ...]
Definition = Callable[[Records, Records, Domain], bool]

WORDS = ("", "10", "2", "b", "ä", "*", " \u3000")
NUMBERS = ("-3", "2", "2.0", "7", "1e1")
ORDER = ("never", "2", "", " \u3000", "ä", "b", "10", "*")
HIERARCHY = (
    ("b", "B", "x", "all"),
    ("10", "B", "x", "all"),
    ("ä", "Ä", "x", "all"),
    ("2", "2", "y", "all"),
    ("", "", "y", "all"),
    (" \u3000", "blank", "y", "all"),
    ("*", "Q", "z", "all"),
    ("never", "Q", "z", "all"),
)


def of_values(definition: Definition) -> Definition:
    """Judge the records that have a value; a class that has none is not released."""

    def holds(records: Records, whole: Records, domain: Domain) -> bool:
        valued = [
            (n, w, value)
            for n, w, value in zip(records, whole, domain, strict=True)
            if value.strip()
        ]
        left = tuple(n for n, _, _ in valued)
        return sum(left) > 0 and definition(
            left, tuple(w for _, w, _ in valued), tuple(value for _, _, value in valued)
        )

    return holds


def diverse(definition: Definition, **settings: object) -> list[Kind]:
    """A model of diversity without blanks, and with blanks that count as a value."""
    return [
        Kind(settings, of_values(definition)),
        Kind({**settings, "blank": "value"}, definition),
    ]


def distinct(least: int) -> Definition:
    """At least so many values occur."""
    return lambda records, _whole, _domain: sum(n > 0 for n in records) >= least


def entropy(least: str) -> Definition:
    """Entropy >= log l, both sides times n and exponentiated: whole numbers."""
    wanted = Fraction(least)
    return lambda records, _whole, _domain: (
        Fraction(sum(records)) ** sum(records)
        >= wanted ** sum(records) * prod(n**n for n in records)
    )


def recursive(c: str, rank: int) -> Definition:
    """The most frequent value against those from a rank on."""

    def holds(records: Records, _whole: Records, _domain: Domain) -> bool:
        frequencies = sorted(records, reverse=True)
        return frequencies[0] < Fraction(c) * sum(frequencies[rank - 1 :])

    return holds


def differences(records: Records, whole: Records) -> list[Fraction]:
    """Share in the class less share in the whole, value by value."""
    p = [Fraction(n, sum(records)) for n in records]
    return [a - Fraction(n, sum(whole)) for a, n in zip(p, whole, strict=True)]


def equal_emd(records: Records, whole: Records, _domain: Domain) -> Fraction:
    """Half of the sum of absolute differences (paper of Li et al., section 5.2)."""
    return sum(map(abs, differences(records, whole)), Fraction(0)) / 2


def ordered_emd(records: Records, whole: Records, domain: Domain, order: list[Any]) -> Fraction:
    """Sum of absolute partial sums over all places but the last, by their number (section 5.1)."""
    difference = dict.fromkeys(order, Fraction(0))
    for value, d in zip(domain, differences(records, whole), strict=True):
        difference[value if value in difference else float(value)] += d
    partial = [sum(list(difference.values())[: i + 1], Fraction(0)) for i in range(len(order))]
    return sum(map(abs, partial), Fraction(0)) / max(len(order) - 1, 1)


def numeric_emd(records: Records, whole: Records, domain: Domain) -> Fraction:
    """Numbers in their own order; two spellings of one number have one place."""
    return ordered_emd(records, whole, domain, sorted({float(value) for value in domain}))


def listed_emd(records: Records, whole: Records, domain: Domain) -> Fraction:
    """Values in the order given, without those that are not in the table."""
    return ordered_emd(records, whole, domain, [value for value in ORDER if value in domain])


def hierarchical_emd(records: Records, whole: Records, domain: Domain) -> Fraction:
    """Extra and cost of each node, from the top down (section 5.2, hierarchical distance)."""
    leaves = dict(zip(domain, differences(records, whole), strict=True))
    columns = list(zip(*(row for row in HIERARCHY if row[0] in domain), strict=True))
    sizes = [len(set(column)) for column in columns]
    merging = [at for at in range(1, len(sizes)) if 1 < sizes[at] < sizes[at - 1]]
    rows = [tuple(row) for row in zip(*(columns[at] for at in (0, *merging, -1)), strict=True)]
    height = len(rows[0]) - 1

    def walk(level: int, rows: list[tuple[str, ...]]) -> tuple[Fraction, Fraction]:
        """Extra of a node, and the cost of it and of all below."""
        if level == 0:
            return leaves.get(rows[0][0], Fraction(0)), Fraction(0)
        labels = dict.fromkeys(row[level - 1] for row in rows)
        below = [walk(level - 1, [r for r in rows if r[level - 1] == one]) for one in labels]
        extras = [extra for extra, _ in below]
        positive = sum((e for e in extras if e > 0), Fraction(0))
        negative = -sum((e for e in extras if e < 0), Fraction(0))
        cost = Fraction(level, height) * min(positive, negative)
        return sum(extras, Fraction(0)), cost + sum((c for _, c in below), Fraction(0))

    return walk(height, rows)[1]


def close(t: str, emd: Callable[[Records, Records, Domain], Fraction]) -> Definition:
    """Within t."""
    return lambda records, whole, domain: emd(records, whole, domain) <= Fraction(t)


def basic_likeness(beta: str) -> Definition:
    """No share above 1 + beta times that of the whole."""
    return lambda records, whole, _domain: all(
        Fraction(n, sum(records)) <= Fraction(w, sum(whole)) * (1 + Fraction(beta))
        for n, w in zip(records, whole, strict=True)
    )


def enhanced_likeness(beta: float) -> Definition:
    """(p - q) / q <= min(beta, -ln q)."""

    def holds(records: Records, whole: Records, _domain: Domain) -> bool:
        for n, w in zip(records, whole, strict=True):
            p, q = n / sum(records), w / sum(whole)
            if p - q > q * min(beta, -log(q)) + 1e-11:
                return False
        return True

    return holds


def undisclosed(times: str) -> Definition:
    """Every share is above and below its share of the whole by less than a factor."""
    factor = Fraction(times)
    return lambda records, whole, _domain: all(
        Fraction(w, sum(whole)) / factor
        < Fraction(n, sum(records))
        < Fraction(w, sum(whole)) * factor
        for n, w in zip(records, whole, strict=True)
    )


@dataclass(frozen=True)
class Kind:
    """Settings of a model, what they mean, and what values it takes."""

    settings: dict[str, Any]
    holds: Definition
    universe: tuple[str, ...] = WORDS

    def __str__(self) -> str:
        return "-".join(str(v) for v in self.settings.values() if not isinstance(v, list))

    @property
    def model(self) -> PrivacyModel:
        """The model, by its settings."""
        return model_from({**self.settings, "column": COLUMN}, where="here")

    def bound(self, sample: Sample) -> BoundPrivacy:
        """The model, bound to a sample."""
        return self.model.bind(sample.table())


def t_close(t: str, distance: str, emd: Callable[..., Fraction], **more: object) -> Kind:
    """t-closeness of some kind."""
    settings = {"kind": "t-closeness", "t": float(t), "distance": distance, **more}
    return Kind(settings, close(t, emd), NUMBERS if emd is numeric_emd else WORDS)


KINDS = [
    *(kind for n in (2, 3) for kind in diverse(distinct(n), kind="distinct-l-diversity", l=n)),
    *(
        kind
        for n in ("1.1", "1.75", "2", "2.5", "3")
        for kind in diverse(entropy(n), kind="entropy-l-diversity", l=float(n))
    ),
    *(
        kind
        for c, n in [("0.1", 2), ("0.5", 2), ("1", 2), ("1.5", 3), ("2", 2), ("3", 4)]
        for kind in diverse(recursive(c, n), kind="recursive-cl-diversity", c=float(c), l=n)
    ),
    *(t_close(t, "equal", equal_emd) for t in ("0", "0.2", "0.5", "1")),
    *(t_close(t, "ordered", numeric_emd) for t in ("0", "0.1", "0.25", "0.5")),
    *(t_close(t, "ordered", listed_emd, order=list(ORDER)) for t in ("0", "0.1", "0.25")),
    *(
        t_close(t, "hierarchical", hierarchical_emd, hierarchy=[list(row) for row in HIERARCHY])
        for t in ("0", "0.1", "0.2", "0.5")
    ),
    *(
        Kind({"kind": "beta-likeness", "beta": float(b), "enhanced": False}, basic_likeness(b))
        for b in ("0.5", "1", "4")
    ),
    *(Kind({"kind": "beta-likeness", "beta": b}, enhanced_likeness(b)) for b in (0.5, 1.0, 4.0)),
    *(
        Kind({"kind": "delta-disclosure", "delta": log2(Fraction(times))}, undisclosed(times))
        for times in ("1.1", "1.5", "2", "4")
    ),
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)

FAMILIES: dict[str, list[Kind]] = {
    family: [kind for kind in KINDS if str(kind).startswith(family)]
    for family in ("distinct", "entropy", "recursive", "t-closeness", "beta", "delta")
}
FAMILIES |= {
    f"t-closeness, {distance}": [
        kind for kind in FAMILIES["t-closeness"] if kind.settings["distance"] == distance
    ]
    for distance in ("equal", "ordered", "hierarchical")
}
del FAMILIES["t-closeness"]
every_family = pytest.mark.parametrize("kinds", FAMILIES.values(), ids=FAMILIES)


@every_family
@unhurried
@given(data=st.data())
def test_a_class_satisfies_the_model_if_its_definition_says_so(
    kinds: list[Kind], data: st.DataObject
) -> None:
    """Class by class, whatever other classes there are."""
    kind = data.draw(st.sampled_from(kinds))
    sample = data.draw(samples(kind.universe))
    found = kind.bound(sample).satisfied(sample.classes(sample.groups)).tolist()
    records = [sample.added(group) for group in sample.groups]
    assert found == [kind.holds(r, sample.whole, sample.domain) for r in records]


@every_family
@sparing
@given(data=st.data())
def test_the_monotone_part_is_weaker_and_never_lost_by_growing(
    kinds: list[Kind], data: st.DataObject
) -> None:
    """A class that fails it fails the model, and a class that satisfies it does so when merged."""
    kind = data.draw(st.sampled_from(kinds))
    sample = data.draw(samples(kind.universe))
    bound = kind.bound(sample)
    part = bound.monotone_part
    assert part.monotone_part is part
    assert part.per_class
    assert part.merges
    classes = sample.classes(sample.groups)
    weak = part.satisfied(classes)
    assert not (bound.satisfied(classes) & ~weak).any()
    for group in [g for g, holds in zip(sample.groups, weak, strict=True) if holds]:
        others = [row for row in range(len(sample.rows)) if row not in group]
        more = data.draw(st.lists(st.sampled_from(others), unique=True)) if others else []
        assert part.satisfied(sample.classes([(*group, *more)])).all()


@every_family
@sparing
@given(data=st.data())
def test_classes_that_satisfy_the_model_satisfy_it_together(
    kinds: list[Kind], data: st.DataObject
) -> None:
    """All of them in one."""
    kind = data.draw(st.sampled_from(kinds))
    sample = data.draw(samples(kind.universe))
    bound = kind.bound(sample)
    assert bound.merges
    assert bound.per_class
    satisfied = bound.satisfied(sample.classes(sample.groups)).tolist()
    good = [g for g, holds in zip(sample.groups, satisfied, strict=True) if holds]
    if good:
        assert bound.satisfied(sample.classes([[row for g in good for row in g]])).all()


@every_family
@sparing
@given(data=st.data())
def test_the_whole_table_as_one_class_is_as_close_as_can_be(
    kinds: list[Kind], data: st.DataObject
) -> None:
    """Models that compare with the whole table accept it; the others by their definition."""
    kind = data.draw(st.sampled_from(kinds))
    sample = data.draw(samples(kind.universe))
    (found,) = kind.bound(sample).satisfied(sample.classes([range(len(sample.rows))])).tolist()
    compares = kind.settings["kind"] in {"t-closeness", "beta-likeness", "delta-disclosure"}
    assert found == (compares or kind.holds(sample.whole, sample.whole, sample.domain))


@every_kind
def test_no_classes_get_no_answers(kind: Kind) -> None:
    """A policy may suppress everything; the model is called nevertheless."""
    sample = sample_of(kind.universe[:1], (3,))
    for model in (kind.bound(sample), kind.bound(sample).monotone_part):
        assert model.satisfied(sample.classes([])).tolist() == []


@every_kind
def test_settings_come_back_from_a_file_as_the_same_model(kind: Kind) -> None:
    """Through JSON, and once more."""
    model = kind.model
    again = model_from(json.loads(json.dumps(model.settings())), where="here")
    assert again == model
    assert again.settings() == json.loads(json.dumps(model.settings())) == model.settings()
    assert model.columns == (COLUMN,)
    assert model.threshold == 1.0


@every_kind
def test_a_model_says_what_it_is_in_one_line(kind: Kind) -> None:
    """Name and promise name the column, and the promise is a sentence."""
    model = kind.model
    assert model.name.endswith((f"of {COLUMN}", "distance", "empty cells counted"))
    assert f" {COLUMN} " in model.promise
    assert model.promise.endswith((").", f"). {model.terms}"))
    assert "\n" not in model.name + model.promise


@pytest.mark.parametrize("kind", KINDS[::5], ids=str)
def test_a_model_is_combined_with_others(kind: Kind) -> None:
    """A class of one value is refused, in any order of the models."""
    sample = sample_of(("2", "7"), (6, 6), (0, 9), (1, 1), rest=(3, 3))
    models = [KAnonymity(5), model_from({**kind.settings, "column": COLUMN}, where="here")]
    if kind.universe == WORDS:
        sample = sample_of(("10", "2"), *sample.rows[:3], rest=sample.rows[3])
    alone = models[1].bind(sample.table()).satisfied(sample.classes(sample.groups))
    for order in (models, models[::-1]):
        both = bind_all(order, sample.table()).satisfied(sample.classes(sample.groups))
        assert both.tolist() == (alone & [True, True, False]).tolist()


def lone(kind: str, **parameters: object) -> PrivacyModel:
    """Make a model of a column."""
    return model_from({"kind": kind, "column": COLUMN, **parameters}, where="here")


def answers(model: PrivacyModel, sample: Sample) -> list[bool]:
    """Ask a model about the classes of a sample."""
    found: list[bool] = model.bind(sample.table()).satisfied(sample.classes(sample.groups)).tolist()
    return found


@pytest.mark.parametrize("values", [2, 3, 5, 6, 7, 10, 49, 100])
@pytest.mark.parametrize("records", [1, 3, 7])
def test_equally_frequent_values_are_as_diverse_as_they_are_many(values: int, records: int) -> None:
    """The entropy of l equal shares passes for l, and does not for a little more."""
    sample = sample_of([f"{v:03d}" for v in range(values)], (records,) * values)
    assert answers(lone("entropy-l-diversity", l=values), sample) == [True]
    assert answers(lone("entropy-l-diversity", l=values * (1 + 1e-7)), sample) == [False]


def test_the_monotone_part_forgives_what_the_model_forgives() -> None:
    """An l above 2 by less than the tolerance needs two values, not three."""
    sample = sample_of(("a", "b"), (4, 4))
    model = lone("entropy-l-diversity", l=2 + 1e-12)
    bound = model.bind(sample.table())
    for one in (bound, bound.monotone_part):
        assert one.satisfied(sample.classes(sample.groups)).tolist() == [True]


@pytest.mark.parametrize(
    ("kind", "parameters", "universe"),
    [
        ("entropy-l-diversity", {"l": 2.5}, WORDS),
        ("recursive-cl-diversity", {"c": 0.4, "l": 2}, WORDS),
        ("recursive-cl-diversity", {"c": 0.5, "l": 3}, WORDS),
        ("recursive-cl-diversity", {"c": 1.5, "l": 2}, WORDS),
    ],
)
def test_the_monotone_part_of_diversity_is_the_sharpest_there_is(
    kind: str, parameters: dict[str, Any], universe: tuple[str, ...]
) -> None:
    """The model's number of single values satisfies it, and fewer never do."""
    domain = tuple(sorted(universe))
    rows = [tuple(int(v < n) for v in range(len(domain))) for n in range(1, len(domain) + 1)]
    sample = sample_of(domain, *rows)
    bound = lone(kind, **parameters).bind(sample.table())
    classes = sample.classes(sample.groups)
    weak = bound.monotone_part.satisfied(classes).tolist()
    assert bound.satisfied(classes).tolist() == weak
    assert len(set(weak)) == 2


@pytest.mark.parametrize("beta", ["0.5", "1", "4"])
@unhurried
@given(data=st.data())
def test_the_monotone_part_of_likeness_is_room_under_the_caps(
    beta: str, data: st.DataObject
) -> None:
    """The caps of the values that occur sum to 1, and then one leaves room for a record."""
    sample = data.draw(samples(WORDS))
    caps = [Fraction(w, sum(sample.whole)) * (1 + Fraction(beta)) for w in sample.whole]
    bound = lone("beta-likeness", beta=beta, enhanced=False).bind(sample.table())
    found = bound.monotone_part.satisfied(sample.classes(sample.groups)).tolist()
    expected = []
    for records in map(sample.added, sample.groups):
        inside = [cap for cap, n in zip(caps, records, strict=True) if n]
        expected.append(sum(inside) >= 1 and max(inside) * sum(records) >= 1)
    assert found == expected


THOUSANDS = tuple(f"{n}000" for n in range(3, 12))


@pytest.mark.parametrize(
    ("members", "emd"),
    [(("3000", "4000", "5000"), 0.375), (("6000", "8000", "11000"), 1 / 6)],
)
def test_salaries_of_the_paper_are_as_far_as_it_says(members: tuple[str, ...], emd: float) -> None:
    """Li et al., section 5.1: classes of three salaries of nine, 0.375 and 0.167."""
    domain = tuple(sorted(THOUSANDS))
    inside = tuple(int(value in members) for value in domain)
    sample = sample_of(domain, inside, rest=tuple(1 - n for n in inside))
    for t, passes in [(emd, True), (emd - 1e-7, False)]:
        assert answers(lone("t-closeness", t=t, distance="ordered"), sample) == [passes]
        order = list(THOUSANDS)
        listed = lone("t-closeness", t=t, distance="ordered", order=order)
        assert answers(listed, sample) == [passes]


def test_diseases_under_one_label_are_nearer() -> None:
    """By hand: half of the whole under either label, a class of one disease.

    A quarter stays; a quarter comes from the sister at 1/2, a half from the other label at 1.
    """
    rows = [["a", "lung", "*"], ["b", "lung", "*"], ["c", "skin", "*"], ["d", "skin", "*"]]
    sample = sample_of("abcd", (3, 0, 0, 0), rest=(0, 3, 3, 3))
    for t, passes in [(0.625, True), (0.6249999, False)]:
        model = lone("t-closeness", t=t, distance="hierarchical", hierarchy=rows)
        assert answers(model, sample) == [passes]


@pytest.mark.parametrize(
    "padding",
    [
        {"distance": "ordered", "order": ["mild", "severe", *(f"x{at}" for at in range(60))]},
        {"distance": "ordered", "order": ["mild", *(f"x{at}" for at in range(60)), "severe"]},
        *(
            {
                "distance": "hierarchical",
                "hierarchy": [["mild", *levels, "*"], ["severe", *levels, "*"], *more],
            }
            for levels, more in (
                (["any"] * 60, []),
                (["any"] * 2, [["x", "x", "any", "*"], ["y", "y", "any", "*"]]),
            )
        ),
        {
            "distance": "hierarchical",
            "hierarchy": [[v, *[v] * 9, *["any"] * 9, "*"] for v in ("mild", "severe")],
        },
    ],
)
def test_values_and_levels_that_do_not_occur_do_not_shorten_a_distance(
    padding: dict[str, Any],
) -> None:
    """Fault class: 60 values that no record has made a group of one value 0.02-close."""
    sample = sample_of(("mild", "severe"), (0, 10), rest=(50, 40))
    for t, passes in [(0.5, True), (0.499, False)]:
        assert answers(lone("t-closeness", t=t, **padding), sample) == [passes]


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_distance_of_exactly_t_passes(distance: str) -> None:
    """One fifth, from counts that are not sums of powers of two."""
    sample = sample_of("01", (7, 3), rest=(43, 47))
    more = {"hierarchy": [["0", "*"], ["1", "*"]]} if distance == "hierarchical" else {}
    for t, passes in [(0.2, True), (0.2 - 1e-8, False)]:
        assert answers(lone("t-closeness", t=t, distance=distance, **more), sample) == [passes]


def test_thousands_of_values_on_a_line_are_measured_exactly() -> None:
    """The upper half of 0 to 9,999: each record of the lower half goes up by a half."""
    number = 10_000
    domain = tuple(sorted(map(str, range(number)), key=str))
    inside = tuple(int(int(value) >= number // 2) for value in domain)
    sample = sample_of(domain, inside, rest=tuple(1 - n for n in inside))
    exact = number / 4 / (number - 1)
    for t, passes in [(exact, True), (exact * (1 - 1e-8), False)]:
        assert answers(lone("t-closeness", t=t, distance="ordered"), sample) == [passes]


def test_large_tables_do_not_overflow() -> None:
    """A billion records of each value; a class as the whole, and one that is nearly so."""
    much = 10**9
    sample = sample_of(("1", "2"), (much // 2, much // 2), (much // 2, much // 2 - 1))
    rows = [["1", "*"], ["2", "*"]]
    for distance, more in [("equal", {}), ("ordered", {}), ("hierarchical", {"hierarchy": rows})]:
        wide = lone("t-closeness", t=1e-9, distance=distance, **more)
        assert answers(wide, sample) == [True, True]
        nothing = lone("t-closeness", t=0.0, distance=distance, **more)
        assert answers(nothing, sample_of(("1", "2"), (3, 3), rest=(much, much))) == [True]
        assert answers(nothing, sample) == [False, False]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"distance": "ordered"}, "column '7': value 'b' is not a number"),
        (
            {"distance": "ordered", "order": ["b", "a"]},
            "column '7': the missing value is not in the order",
        ),
        (
            {"distance": "hierarchical", "hierarchy": [["a", "*"], ["", "*"]]},
            "column '7': value 'b' of '7' is not in the hierarchy",
        ),
    ],
)
def test_a_value_without_a_place_is_named(parameters: dict[str, Any], message: str) -> None:
    """The message names the column and the value."""
    domain = ("1", "b") if "order" not in parameters else ("", "b")
    if "hierarchy" in parameters:
        domain = ("", "b")
    sample = sample_of(domain, (2, 2))
    with pytest.raises(SettingError, match=message):
        lone("t-closeness", t=0.2, **parameters).bind(sample.table())


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        ("distinct-l-diversity", {"l": 1}, "l is 1, but must be at least 2"),
        ("distinct-l-diversity", {"l": 2.5}, "parameter 'l'"),
        ("distinct-l-diversity", {}, "parameter 'l'"),
        ("distinct-l-diversity", {"l": 2, "k": 3}, "parameter 'k'"),
        ("entropy-l-diversity", {"l": 1}, "must be above 1"),
        ("entropy-l-diversity", {"l": float("nan")}, "must be above 1"),
        ("recursive-cl-diversity", {"c": 0, "l": 2}, "c is 0.0, but must be from 1e-12 to 1e"),
        ("recursive-cl-diversity", {"c": 1e308, "l": 2}, r"c is 1e\+308, but must be from"),
        ("delta-disclosure", {"delta": 0}, "delta is 0.0, but must be above 0 and at most 64"),
        ("delta-disclosure", {"delta": 1e308}, r"delta is 1e\+308, but must be above 0"),
        ("recursive-cl-diversity", {"c": float("inf"), "l": 2}, "c is inf"),
        ("recursive-cl-diversity", {"c": 1, "l": 1}, "l is 1, but must be at least 2"),
        ("t-closeness", {"t": 1.5}, "t is 1.5, but must be from 0 to 1"),
        ("t-closeness", {"t": float("nan")}, "t is nan"),
        ("t-closeness", {"t": 0.2, "distance": "near"}, "parameter 'distance'"),
        ("t-closeness", {"t": 0.2, "order": ["a"]}, "order is given, but the equal distance"),
        ("t-closeness", {"t": 0.2, "distance": "hierarchical"}, "the hierarchy has no rows"),
        (
            "t-closeness",
            {"t": 0.2, "distance": "ordered", "order": ["a", "a"]},
            "value 'a' is listed twice in the order",
        ),
        (
            "t-closeness",
            {"t": 0.2, "distance": "hierarchical", "hierarchy": [["a", "*"], ["b"]]},
            "rows of the hierarchy differ in length",
        ),
        (
            "t-closeness",
            {"t": 0.2, "distance": "hierarchical", "hierarchy": [["a", "x"], ["b", "y"]]},
            "must have a single label",
        ),
        ("beta-likeness", {"beta": -1}, "beta is -1.0, but must be above 0"),
    ],
)
def test_parameters_out_of_range_are_refused(
    kind: str, parameters: dict[str, Any], message: str
) -> None:
    """By name, with the value."""
    with pytest.raises(PolicyError, match=message):
        lone(kind, **parameters)


@pytest.mark.parametrize("text", ["false", False, 0, "0", "no"])
def test_parameters_may_be_text_as_a_command_line_has_them(text: object) -> None:
    """Numbers, truth values, and a column that is called 7."""
    settings = {"kind": "beta-likeness", "column": 7, "beta": "1", "enhanced": text}
    assert model_from(settings, where="here").settings() == {
        "kind": "beta-likeness",
        "column": "7",
        "beta": 1.0,
        "enhanced": False,
    }
    numbers = lone("t-closeness", t="0.5", distance="ordered", order=[3, 1, 2]).settings()
    assert (numbers["t"], numbers["order"]) == (0.5, ["3", "1", "2"])


def test_every_model_with_a_column_is_tested_here() -> None:
    """A new model needs a definition for comparison.

    Grassberger's estimate, with which two good classes may be bad together, has its own tests.
    """
    known = {kind.settings["kind"] for kind in KINDS}
    assert {kind for kind in PRIVACY_MODELS if needs_column(kind)} - {
        "delta-presence",
        "grassberger-l-diversity",
    } == known
