"""Domains are the declared ones: ranges, values, trees, and hierarchies that list all values."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from roadstead.differential.domains import CategoricalDomain, NumericDomain
from roadstead.errors import InputError, SettingError
from roadstead.hierarchies.taxonomy import NOT_LISTED, Taxonomy, from_branches
from roadstead.verbs.synthesize.domains import (
    Declarations,
    Range,
    domain_of,
    numeric_domain,
    set_domain_of,
)
from roadstead.verbs.synthesize.settings import epsilon_of, settings_of, specializations_of

FLAT = "F;*\nM;*\n"
REGIONS = "Boston;MA;*\nSalem;MA;*\nDover;NH;*\n"


def taxonomy_of(name: str, declared: Declarations) -> Taxonomy:
    """Give the taxonomy of a column of categories."""
    domain, _ = domain_of(name, declared)
    assert isinstance(domain, CategoricalDomain)
    return domain.taxonomy


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ("15..95", (15, 95, 1)),
        (" 15..95 ", (15, 95, 1)),
        ("-10..10", (-10, 10, 1)),
        ("-10..-5", (-10, -5, 1)),
        ("10..60/0.1", (10, 60, "0.1")),
        ("0.5..1.5/.25", ("0.5", "1.5", "0.25")),
        ("1e3..2e3/100", (1000, 2000, 100)),
        ((15, 95), (15, 95, 1)),
        ([0, 1, 0.1], (0, 1, "0.1")),
        ((Decimal(0), Decimal("0.3"), Decimal("0.1")), (0, "0.3", "0.1")),
        ("7..7", (7, 7, 1)),
    ],
)
def test_a_range_is_read_exactly(given: Range, ends: tuple[int | str, ...]) -> None:
    """Both ends belong to it; digits are decimal ones."""
    low, high, step = (Decimal(str(end)) for end in ends)
    assert numeric_domain("x", given) == NumericDomain("x", low, high, step)


@pytest.mark.parametrize(
    "given",
    [
        *("", "15", "15..", "..95", "a..b", "15..95/", "15-95", "1..2..3", "nan..1", "1..inf"),
        *("1,5..2", (1,), (1, 2, 3, 4), ("a", 2)),
    ],
)
def test_what_is_no_range_is_refused(given: Range) -> None:
    """With the form that is right."""
    with pytest.raises(SettingError, match=r"is not a range; write LOW\.\.HIGH"):
        numeric_domain("x", given)


@pytest.mark.parametrize("given", ["95..15", "1..2/0", "1..2/-1", "0..1e20"])
def test_a_range_that_cannot_be_is_refused(given: str) -> None:
    """Ends that are exchanged, no step, too many of them."""
    with pytest.raises(SettingError, match="domain of 'x'"):
        numeric_domain("x", given)


def test_a_list_of_values_is_a_flat_domain() -> None:
    """In the order given; whatever else a column has is outside."""
    tree = taxonomy_of("sex", Declarations(values={"sex": ("F", "M", "other")}))
    assert tree.leaf_labels == ("F", "M", "other")
    assert tree.children[0] == (1, 2, 3)
    assert tree.locate(["M", "f", ""]).tolist() == [1, NOT_LISTED, NOT_LISTED]


@pytest.mark.parametrize("values", [(), ("F",), "FM"])
def test_a_list_of_one_value_says_nothing(values: Any) -> None:  # noqa: ANN401 - also what is none
    """A single text is refused too, because Python would read its letters as values."""
    with pytest.raises(
        SettingError, match="a list of values requires two or more values; write values="
    ):
        domain_of("sex", Declarations(values={"sex": values}))


def test_files_of_hierarchies_list_their_values(tmp_path: Path) -> None:
    """A folder, and a file for one column; the path is not shown, because it may name people."""
    (tmp_path / "town.csv").write_text(REGIONS)
    declared = Declarations(folder=tmp_path)
    assert declared.known(["age", "town"]) == ("town",)
    domain, origin = domain_of("town", declared)
    assert isinstance(domain, CategoricalDomain)
    assert domain.taxonomy.labels == ("*", "MA", "Boston", "Salem", "Dover")
    assert origin == "town.csv"
    named, origin = domain_of("city", Declarations(taxonomies={"city": tmp_path / "town.csv"}))
    assert isinstance(named, CategoricalDomain)
    assert named.taxonomy.leaf_labels == domain.taxonomy.leaf_labels
    assert origin == "town.csv"


def test_a_table_of_codes_names_its_columns(tmp_path: Path) -> None:
    """``FILE:CODE:GROUP+GROUP``."""
    file = tmp_path / "codes.csv"
    file.write_text("code,chapter,block\na1,A,A0\na2,A,A1\na3,A,A1\nb1,B,B0\n")
    tree = taxonomy_of("dx", Declarations(taxonomies={"dx": f"{file}:code:chapter+block"}))
    assert tree.labels == ("*", "A", "a1", "A1", "a2", "a3", "b1")
    with pytest.raises(InputError, match="there is no column 'kode'; did you mean 'code'"):
        domain_of("dx", Declarations(taxonomies={"dx": f"{file}:kode:chapter"}))


def test_code_books_are_known_by_name() -> None:
    """Codes are found with and without their dot."""
    for name, code in (("icd9", "250.83"), ("icd10", "E11.9")):
        domain, origin = domain_of("dx", Declarations(taxonomies={"dx": name}))
        assert isinstance(domain, CategoricalDomain)
        assert NOT_LISTED not in domain.taxonomy.locate([code, code.replace(".", "")])
        assert origin.startswith("ICD-")


def test_prefixes_group_declared_codes() -> None:
    """And of no codes they are refused."""
    declared = Declarations(
        values={"zip": ("02138", "02139", "03060")}, taxonomies={"zip": "prefix:2+3"}
    )
    tree = taxonomy_of("zip", declared)
    assert tree.size == 3
    assert len(tree.children[0]) == 2
    with pytest.raises(SettingError, match=r"prefixes are declared without codes; .* values=.*zip"):
        domain_of("zip", Declarations(taxonomies={"zip": "prefix:2+3"}))
    with pytest.raises(SettingError, match=r"'2,3' is not a list of lengths; write prefix:1\+3"):
        domain_of("zip", Declarations(values=declared.values, taxonomies={"zip": "prefix:2,3"}))


def test_nodes_have_no_more_children_than_asked_for() -> None:
    """Four for sets, and any number for categories, by default."""
    values = {"x": tuple("abcdefghi")}
    plain = taxonomy_of("x", Declarations(values=values))
    assert len(plain.children[0]) == 9
    for fanout in ({"x": 3}, {"": 3}, {"x": 3, "": 5}):
        tree = taxonomy_of("x", Declarations(values=values, fanout=fanout))
        assert max(map(len, tree.children)) == 3
        assert tree.leaf_labels == plain.leaf_labels
    domain, origin = set_domain_of("x", None, Declarations(values=values))
    assert max(map(len, domain.taxonomy.children)) == 4
    assert origin == "declared: 9 values, at most 4 below a node"
    for given, usual in (({"x": 9}, 4), ({}, None)):
        domain, _ = set_domain_of("x", None, Declarations(values=values, fanout=given), usual)
        assert max(map(len, domain.taxonomy.children)) == 9


def test_a_sequence_has_the_tree_at_each_position() -> None:
    """Pairs beyond the last position are not listed."""
    domain, origin = set_domain_of("x", 2, Declarations(values={"x": ("a", "b")}))
    assert domain.taxonomy.leaf_labels == ("1:a", "1:b", "2:a", "2:b")
    assert domain.taxonomy.locate(["2:b", "3:a"]).tolist() == [3, NOT_LISTED]
    assert "positions 1 to 2" in origin


DECLARED: dict[str, tuple[dict[str, Any], bool]] = {
    "values in groups": ({"kind": "mapping", "groups": {"A": ["a", "b"], "B": ["c"]}}, True),
    "values in order": ({"kind": "ordered", "order": ["a", "b", "c"], "groups": [2]}, True),
    "intervals with both ends": (
        {"kind": "intervals", "widths": [5], "lowest": 0, "highest": 99},
        True,
    ),
    "cuts with both ends": ({"kind": "cuts", "cuts": [[5, 10]], "lowest": 0, "highest": 99}, True),
    "intervals without ends": ({"kind": "intervals", "widths": [5]}, False),
    "intervals with one end": ({"kind": "intervals", "widths": [5], "lowest": 0}, False),
    "cuts without ends": ({"kind": "cuts", "cuts": [[5, 10]]}, False),
    "flat": ({"kind": "flat"}, False),
    "prefixes": ({"kind": "prefix", "keep": [1]}, False),
    "dates": ({"kind": "dates"}, False),
}


@pytest.mark.parametrize(("spec", "public"), DECLARED.values(), ids=DECLARED)
def test_a_declared_hierarchy_serves_if_it_says_all_that_can_be(
    spec: dict[str, Any],
    public: bool,  # noqa: FBT001 - a case
) -> None:
    """A hierarchy made from the table is refused."""
    declared = Declarations(hierarchies={"x": spec})
    assert declared.known(["x", "y"]) == (("x",) if public else ())
    if public:
        domain, origin = domain_of("x", declared)
        assert origin.startswith("declared: ")
        if isinstance(domain, NumericDomain):
            assert domain == NumericDomain("x", Decimal(0), Decimal(99))
        else:
            assert isinstance(domain, CategoricalDomain)
            assert domain.taxonomy.leaf_labels == ("a", "b", "c")
    else:
        with pytest.raises(SettingError, match="no domain is declared for this column"):
            domain_of("x", declared)


def test_declared_intervals_are_told_in_their_own_digits() -> None:
    """Halves, where a width has them."""
    spec = {"kind": "intervals", "widths": [0.5, 5], "lowest": 10, "highest": 60}
    domain, _ = domain_of("x", Declarations(hierarchies={"x": spec}))
    assert domain == NumericDomain("x", Decimal(10), Decimal(60), Decimal("0.1"))


@pytest.mark.parametrize(
    "declared",
    [
        Declarations(ranges={"x": "1..2"}, values={"x": ("a", "b")}),
        Declarations(ranges={"x": "1..2"}, taxonomies={"x": "icd9"}),
        Declarations(values={"x": ("a", "b")}, taxonomies={"x": "icd9"}),
    ],
)
def test_two_domains_of_one_column_are_refused(declared: Declarations) -> None:
    """Whichever they are."""
    with pytest.raises(SettingError, match=r"column 'x': .* are declared; leave one of them out"):
        domain_of("x", declared)


def test_a_set_has_no_range() -> None:
    """Its items are not numbers."""
    with pytest.raises(SettingError, match="a range is declared for a set"):
        set_domain_of("x", None, Declarations(ranges={"x": "1..2"}))


def test_a_taxonomy_that_cannot_be_written_down_is_refused_at_once() -> None:
    """Before the budget is spent on a release that cannot be published."""
    odd = from_branches("x", "*", ("a", "b"), origin="mine", find=lambda _leaves, _value: 0)
    with pytest.raises(SettingError, match="a rule that cannot be written to a file"):
        domain_of("x", Declarations(taxonomies={"x": odd}))
    plain = from_branches("other", "*", ("a", "b"), origin="/somewhere/mine.csv")
    domain, origin = domain_of("x", Declarations(taxonomies={"x": plain}))
    assert (domain.attribute, origin) == ("x", "mine.csv")


@pytest.mark.parametrize(
    ("given", "amount"),
    [
        (1, Fraction(1)),
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (" 2.50 ", Fraction(5, 2)),
        ("1e-3", Fraction(1, 1000)),
        (Decimal("0.3"), Fraction(3, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
    ],
)
def test_an_epsilon_is_the_decimal_that_is_written(given: float | str, amount: Fraction) -> None:
    """The amount is not the nearest float."""
    assert epsilon_of(given) == amount


@pytest.mark.parametrize(
    "given",
    [
        *(None, 0, -1, "0", "-0.5", "", "one", "nan", "inf", float("nan"), float("inf"), True),
        *("1/0", "1/-3", "1e999999999", "9" * 50, "1,5", "0x1", "1_0", [1], Decimal("NaN"), 1e7),
    ],
)
def test_what_is_no_epsilon_is_refused(given: Any) -> None:  # noqa: ANN401 - whatever a user gives
    """At once, however large its digits are."""
    with pytest.raises(SettingError, match="epsilon") as caught:
        epsilon_of(given)
    assert caught.value.fix


@pytest.mark.parametrize("given", [-1, "-1", "many", "", 1.5, True, 1001, "9" * 30])
def test_what_is_no_number_of_specializations_is_refused(given: Any) -> None:  # noqa: ANN401 - whatever is given
    """Zero is one."""
    with pytest.raises(SettingError, match="specializations"):
        specializations_of(given)
    assert [specializations_of(one) for one in (0, "0", "12", "auto")] == [0, 0, 12, None]


@pytest.mark.parametrize(
    ("target", "classes", "score", "outside", "says"),
    [
        ("", ("a", "b"), "max", "stop", "no target is named"),
        (None, ("a", "b"), "max", "stop", "no target is named"),
        (
            "t",
            (),
            "max",
            "stop",
            'declare classes={"t": ["A", "B"]}, based on what the column can contain',
        ),
        ("t", ("a",), "max", "stop", "with a single class, there is nothing to predict"),
        ("t", ("a", "b", "a"), "max", "stop", "'a' is listed twice"),
        ("t", "ab", "max", "stop", "a single string is given; give a list"),
        ("t", ("a", "b"), "best", "stop", "use max or max-gain or info-gain"),
        ("t", ("a", "b"), "max", "drop", "use leave-out or stop"),
    ],
)
def test_a_request_that_cannot_be_is_refused(
    target: str | None, classes: tuple[str, ...], score: str, outside: str, says: str
) -> None:
    """Before the table is looked at."""
    with pytest.raises(SettingError) as caught:
        settings_of(1, target, classes, 3, score, outside)
    assert says in caught.value.message
