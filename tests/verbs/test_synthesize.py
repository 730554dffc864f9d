"""The command ``synthesize``: without noise it counts the records, and nothing private gets out.

With an epsilon of a million there is practically no noise, so a release can be compared with counts
made record by record in plain Python.
"""

from __future__ import annotations

import pickle
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE
from seeded_mechanisms import SeededMechanisms

import roadstead as rs
from roadstead.errors import InputError
from roadstead.jobs import SILENT, Job, Observer, Stopped
from roadstead.tables.source import Source
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.request import SynthesizeRequest
from roadstead.verbs.synthesize.result import SynthesisFinding
from roadstead.verbs.synthesize.sets import item_sets
from roadstead.verbs.synthesize.settings import settings_of
from roadstead.verbs.synthesize.synthesis import SynthesisProgress, synthesized

COLUMNS = ("age", "sex", "codes", "died")
NOISELESS = 10**6
DECLARED = Declarations(
    ranges={"age": "20..59"},
    values={"sex": ("F", "M"), "codes": ("a", "b", "c", "d", "e")},
)
SETS = item_sets({"codes": {"column": "codes", "delimiter": "|"}})

Record = tuple[str, str, str, str]


def people(records: int = 400, seed: int = 1) -> list[Record]:
    """Make up people of whom the old and those with the code "a" die."""
    chance = random.Random(seed)  # noqa: S311 - made-up patients keep no secret
    made = []
    for _ in range(records):
        age, codes = chance.randint(20, 59), sorted(chance.sample("abcde", chance.randint(0, 3)))
        dies = age > 40 or "a" in codes
        made.append((str(age), chance.choice("FM"), "|".join(codes), "yes" if dies else "no"))
    return made


@cache
def source_of(records: tuple[Record, ...]) -> Source:
    """Open records, once for all releases of them."""
    return rs.read(table(records))


def table(records: Sequence[Record]) -> dict[str, list[str]]:
    """Put records into columns."""
    return {name: [record[at] for record in records] for at, name in enumerate(COLUMNS)}


def release(
    records: Sequence[Record],
    epsilon: float | str = NOISELESS,
    specializations: int | str = 6,
    seed: int = 3,
    **more: Any,  # noqa: ANN401 - as synthesized
) -> SynthesisFinding:
    """Release people with chance that repeats itself."""
    request = settings_of(
        epsilon,
        "died",
        ("no", "yes"),
        specializations,
        more.pop("score", "max-gain"),
        more.pop("outside", "leave-out"),
    )
    observer = more.pop("observer", SILENT)
    declared = replace(more.pop("declared", DECLARED), **{"sets": SETS, **more})
    source = source_of(tuple(records))
    return synthesized(source, request, declared, SeededMechanisms(seed), observer)


def generalized(record: Record, found: SynthesisFinding) -> tuple[str, ...]:
    """Say what a release shows of a record, by the labels of its cuts alone."""
    age, sex, codes = record[:3]
    shown = {"age": "", "sex": "", "codes": ""}
    for cut in found.facts.cuts:
        match cut.attribute:
            case "age":
                for label in cut.labels:
                    low, _, high = label.partition(" to ")
                    if int(low) <= int(age) <= int(high or low):
                        shown["age"] = label
            case "sex":
                shown["sex"] = sex if sex in cut.labels else "*"
            case _ if len(cut.labels) == 1:
                shown["codes"] = "*"
            case _:
                spans = [label.split(" to ") for label in cut.labels]
                items = codes.split("|") if codes else []
                under = [
                    label
                    for label, span in zip(cut.labels, spans, strict=True)
                    if any(span[0] <= item <= span[-1] for item in items)
                ]
                shown["codes"] = "; ".join(under) or "(none)"
    return (*(shown[cut.attribute] for cut in found.facts.cuts), record[3])


def shown_by(found: SynthesisFinding) -> Counter[tuple[str, ...]]:
    """Count the records that are released."""
    columns = found.to_arrow().to_pydict().values()
    return Counter(zip(*columns, strict=True))


@pytest.mark.parametrize("score", ["max", "max-gain", "info-gain"])
@pytest.mark.parametrize("specializations", [0, 1, 4, 8])
def test_without_noise_a_release_counts_what_is_there(score: str, specializations: int) -> None:
    """Record by record, as their labels say."""
    records = people()
    found = release(records, specializations=specializations, score=score)
    assert len(found.facts.synthesis.steps) == specializations
    assert shown_by(found) == Counter(generalized(record, found) for record in records)
    assert found.facts.records == len(records)


def test_without_noise_what_tells_the_target_is_told() -> None:
    """Age and the code are detailed, but not the sex, which does not predict the target."""
    document = release(people(2000), specializations=4).to_dict()
    assert set(document["told"]) == {"age", "codes"}
    assert "21" not in document["cut"]["age"]
    assert any(label.startswith("41") for label in document["cut"]["age"])


@sparing
@given(epsilon=st.fractions(Fraction(1, 10), 20), seed=st.integers(0, 99), steps=st.integers(0, 9))
def test_the_ledger_adds_up_to_the_budget(epsilon: Fraction, seed: int, steps: int) -> None:
    """Exactly, for any number of steps."""
    found = release(people(60), str(epsilon), steps, seed)
    assert sum(one.epsilon for one in found.facts.synthesis.ledger) == epsilon
    document = found.to_dict()
    assert document["epsilon"] == float(epsilon)
    assert sum(one["epsilon"] for one in document["ledger"]) == pytest.approx(float(epsilon))
    assert document["records"] == sum(document["records_by_class"].values())
    noisy, least = found.facts.synthesis.groups.counts, document["least_count"]
    assert found.facts.counts.shape == noisy.shape == (document["groups"], 2)
    assert ((noisy >= least) | (noisy == 0)).all()
    assert (found.facts.counts >= 0).all()
    assert (noisy >= least).any(axis=1).all()


OUTSIDE: dict[str, Record] = {
    "a missing number": ("", "F", "a", "no"),
    "no number": ("old", "F", "a", "no"),
    "a category not listed": ("30", "X", "a", "no"),
    "a missing category": ("30", "", "a", "no"),
    "a class not listed": ("30", "F", "a", "maybe"),
    "a missing class": ("30", "F", "a", ""),
}


@pytest.mark.parametrize("record", OUTSIDE.values(), ids=OUTSIDE)
def test_a_record_outside_the_domains_leaves_no_trace(record: Record) -> None:
    """The release is the same without it, and only the custodian is informed."""
    records = people(100)
    without, with_it = release(records, 1), release([*records, record], 1)
    documents = [one.to_dict() | {"seconds": 0} for one in (without, with_it)]
    assert documents[0] == documents[1]
    assert str(without) == str(with_it)
    assert without.facts.settings == with_it.facts.settings
    assert without.private.lines == []
    (line,) = with_it.private.lines
    assert line.startswith("for your eyes only: 1 record of 101 was left out")
    column = "sex" if record[1] != "F" else "died" if record[3] != "no" else "age"
    assert f"({column} 1)" in line


def test_a_number_beyond_its_range_counts_as_the_nearest_end() -> None:
    """And an item that is not listed is not in its set."""
    records = people(100)
    odd = [*records, ("104", "F", "a|zzz", "yes"), ("-3", "M", "", "no")]
    plain = [*records, ("59", "F", "a", "yes"), ("20", "M", "", "no")]
    assert shown_by(release(odd)) == shown_by(release(plain))
    said = "\n".join(release(odd).private.lines)
    assert "age is outside its range in 2 records" in said
    assert "1 record has items in codes" in said
    assert "zzz" not in said


def test_a_declaration_that_fits_hardly_any_value_is_named() -> None:
    """Users need not raise epsilon for it; a few odd values do not count as this case."""
    useless = Declarations(
        ranges={"age": "20..59"}, values={"sex": ("1", "2"), "codes": tuple("abcde")}
    )
    lines = release(people(50), declared=useless).private.lines
    assert any("almost no value of sex is in" in line for line in lines)
    assert not any("of age" in line for line in lines)
    few = release([*people(50), ("old", "X", "a", "no")]).private.lines
    assert not any("hardly any" in line for line in few)


def test_records_of_one_person_are_told_of_where_a_column_names_people() -> None:
    """The most records of one person, and no value; missing names do not count."""
    names = ["p1"] * 7 + ["p2"] * 3 + [""] * 20 + [f"q{at}" for at in range(20)]
    columns = table(people(50)) | {"name": names}

    def lines(name: Sequence[str]) -> list[str]:
        request = settings_of(1, "died", ("no", "yes"), 2, "max", "leave-out")
        found = synthesized(
            rs.read(columns | {"name": list(name)}),
            request,
            replace(DECLARED, sets=SETS, identifiers=("name",)),
            SeededMechanisms(1),
        )
        assert "p1" not in str(found) + "".join(found.private.lines)
        return found.private.lines

    (line,) = lines(names)
    assert "up to 7 records have the same name" in line
    assert "epsilon for that person is 7 times as large" in line
    assert lines([f"q{at}" for at in range(50)]) == []


@pytest.mark.parametrize(
    ("quasi", "declared", "says"),
    [
        (("age", "sex", "age"), DECLARED, "column 'age': this column is named twice"),
        (
            ("age",),
            Declarations(ranges={"age": "1..9"}, values={"died": ("a", "b")}),
            "is the target",
        ),
    ],
)
def test_what_is_asked_for_twice_is_refused(
    quasi: tuple[str, ...], declared: Declarations, says: str
) -> None:
    """A column is released once, and the classes are declared once."""
    with pytest.raises(InputError) as caught:
        release(people(20), quasi=quasi, declared=declared, sets=())
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (("104", "F", "a", "yes"), "column 'age': '104' is outside the declared domain"),
        (("", "F", "a", "yes"), "column 'age': a cell is empty"),
        (("30", "X", "a", "yes"), "column 'sex': 'X'"),
        (("30", "F", "a|zzz", "yes"), "column 'codes': 'zzz'"),
        (("30", "F", "a", "maybe"), "column 'died': 'maybe'"),
    ],
)
def test_a_run_can_be_told_to_stop_at_a_record_outside(record: Record, says: str) -> None:
    """It names the one cell; and that it did not stop is a note of the release."""
    with pytest.raises(InputError) as caught:
        release([*people(50), record], outside="stop")
    assert says in caught.value.message
    assert 'outside="leave-out"' in caught.value.message
    assert any(
        "guarantee does not cover" in note
        for note in release(people(50), outside="stop").facts.notes
    )


def _words(shown: str) -> str:
    """Give what is to be read of HTML, not the places of what is drawn."""
    return re.sub(r"<[^>]*>", " ", shown)


def test_nothing_private_is_in_words_or_documents() -> None:
    """Neither the number of records nor that of those left out."""
    records = [*people(1234), *[("30", "X", "a", "no")] * 77, *[("99", "F", "", "no")] * 55]
    found = release(records)
    told = str(found) + _words(found._repr_html_()) + str(found.to_dict()) + repr(found)
    for number in ("1234", "1,234", "1311", "1,311", "1366", "1,366", "77", "55"):
        assert number not in told.replace("0.0", "").replace(".", " ").split(), number
    assert "77" in "".join(found.private.lines)


def test_each_step_is_told_as_the_ledger_calls_it() -> None:
    """Once, or twice where a count has two parts."""
    told: list[SynthesisProgress] = []
    found = release(people(100), 1, observer=Observer(told.append))
    steps = list(dict.fromkeys(one.step for one in told))
    assert steps == list(dict.fromkeys(one.step.words for one in found.facts.synthesis.ledger))


def test_a_run_that_is_stopped_asks_nothing_more_and_keeps_nothing() -> None:
    """It ends before the next question, whatever is answered already."""
    reported: list[SynthesisProgress] = []
    observer = Observer(reported.append, lambda: len(reported) == 2)
    with pytest.raises(Stopped):
        release(people(100), 1, observer=observer)
    assert len(reported) == 2


def test_a_job_that_is_stopped_has_no_result() -> None:
    """Its result is the error, and its last note says that nothing was written."""
    request = SynthesizeRequest(
        data=table(people(100)),
        epsilon=1,
        target="died",
        classes=["no", "yes"],
        ranges={"age": "20..59"},
    )
    job = Job(request)
    job.stop()
    assert job.start().wait(PATIENCE)
    with pytest.raises(Stopped):
        job.result()


def test_a_result_goes_through_a_pickle() -> None:
    """So that a queue of jobs can hold it; it says and releases the same afterwards."""
    found = release(people(200), 1)
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    assert str(again) == str(found)
    assert again.to_dict() == found.to_dict()
    assert again.to_arrow().equals(found.to_arrow())


def test_a_notebook_shows_the_words_and_what_the_budget_was_spent_on() -> None:
    """As a chart of its own."""
    shown = release(people(200), 1)._repr_html_()
    assert "<pre>" in shown
    assert "Bar chart of the privacy budget by purpose" in shown
    assert shown.count("<svg") == 1


def test_a_number_of_specializations_chosen_privately_is_paid_for() -> None:
    """All steps of the walk are in the ledger, used or not."""
    found = release(people(), 2, "auto")
    document = found.to_dict()
    steps = [one["step"] for one in document["ledger"]]
    assert "choice of the number of specializations" in steps
    assert document["specializations"] <= sum("choice of specialization " in one for one in steps)
    assert sum(one.epsilon for one in found.facts.synthesis.ledger) == 2
    assert "specializations (number chosen with differential privacy), chosen by " in str(found)
    assert found.facts.settings["specializations"] == "auto"


def test_a_budget_that_is_next_to_nothing_lists_next_to_nothing() -> None:
    """Whatever is listed, records and groups fit together."""
    for seed in range(5):
        found = release(people(30), "1/1000", 8, seed)
        assert found.facts.records == found.to_arrow().num_rows
        assert found.facts.counts.shape[0] == found.facts.synthesis.groups.groups.size
        assert ("No count exceeds" in str(found)) == (found.facts.records == 0)
    nobody = release([("30", "X", "", "no")] * 20, 1)
    assert nobody.private.left_out == 20


def test_who_reads_it_is_told_when_few_records_stand_behind_the_groups() -> None:
    """By what is released alone; a release that lists nearly all has no such note."""
    noted = []
    for seed in range(8):
        found = release(people(2_000), "1/5", 4, seed)
        behind = found.facts.synthesis.groups.records / max(found.facts.records, 1)
        few = found.facts.records > 0 and behind < 0.8
        assert ("released as if" in str(found)) == few
        noted.append(few)
    assert any(noted)
    assert "released as if" not in str(release(people(400), NOISELESS, 8))


def test_where_no_group_stands_out_the_classes_are_told() -> None:
    """One group without any specialization, which has the noisy totals; and it is said."""
    tried = [release(people(400), "1/5", 12, seed) for seed in range(12)]
    alone = [one for one in tried if not one.facts.synthesis.steps and one.facts.groups]
    assert len(alone) > 2
    off = [abs(one.facts.records - 400) for one in alone]
    assert sum(off) / len(off) < 300  # two classes, each with noise of scale 20 / epsilon
    found = alone[0]
    assert found.facts.groups == 1
    assert "only the distribution of the target classes" in str(found)
    assert sum(one.epsilon for one in found.facts.synthesis.ledger) == Fraction(1, 5)
    assert {one for row in found.to_arrow().to_pylist() for one in row.values()} <= {
        *found.facts.classes,
        *(label for cut in found.facts.cuts for label in cut.labels),
    }


def test_more_than_two_classes_are_told() -> None:
    """The class column can be any that has a declared list."""
    records = people(300)
    request = settings_of(NOISELESS, "sex", ("F", "M", "other"), 3, "max", "leave-out")
    declared = Declarations(ranges={"age": (20, 59)})
    found = synthesized(table(records), request, declared, SeededMechanisms(1))
    counts = Counter(record[1] for record in records)
    assert found.to_dict()["records_by_class"] == {"F": counts["F"], "M": counts["M"], "other": 0}


def test_all_columns_with_a_declared_domain_are_released_unless_some_are_named() -> None:
    """Names of people, the target, and the sources of a set are never included."""
    found = release(people(50), identifiers=())
    assert [cut.attribute for cut in found.facts.cuts] == ["age", "sex", "codes"]
    assert [cut.attribute for cut in release(people(50), identifiers=("sex",)).facts.cuts] == [
        "age",
        "codes",
    ]
    assert [cut.attribute for cut in release(people(50), quasi=("sex", "codes")).facts.cuts] == [
        "sex",
        "codes",
    ]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            {"quasi": ("age", "died")},
            "column 'died': this column is the target and also an attribute",
        ),
        ({"quasi": ("age", "agee")}, "did you mean 'age'?"),
        (
            {"quasi": ("sex",), "identifiers": ("sex",)},
            "column 'sex': this column is a direct identifier",
        ),
        ({"identifiers": ("died",)}, "column 'died': this column is a direct identifier"),
        ({"identifiers": ("codes",)}, "column 'codes': this column is a direct identifier"),
        (
            {"sets": item_sets({"died": {"column": "codes", "delimiter": "|"}})},
            "column 'died': this column is the target",
        ),
        (
            {"sets": item_sets({"codes": {"columns": ["sex", "died"]}})},
            "column 'died': the column is both an attribute and a part of the set",
        ),
        ({"declared": Declarations(), "sets": ()}, "no attribute has a declared domain"),
        (
            {"declared": Declarations(), "sets": (), "quasi": ("age",)},
            "column 'age': no domain is declared for this column; declare ranges={\"age\": "
            '"LOW..HIGH"} or values={"age": ["A", "B", "C"]}, '
            "based on what the column can contain, not on this table",
        ),
        (
            {"declared": Declarations(), "sets": (), "quasi": ("age", "sex")},
            "columns 'age' and 'sex': no domain is declared for these columns; declare the "
            "values of each column, "
            'such as ranges={"age": "LOW..HIGH"} or values={"age": ["A", "B", "C"]}',
        ),
        (
            {"declared": Declarations(ranges={"age": "1..2"})},
            "set 'codes': no domain is declared for the items of this set; "
            'declare taxonomies={"codes": "icd9"}',
        ),
        ({"declared": Declarations(ranges={"ages": "1..2"})}, "column 'ages'"),
    ],
)
def test_a_request_that_does_not_fit_the_table_says_what_to_mend(
    more: dict[str, Any], says: str
) -> None:
    """Before anything is spent."""
    with pytest.raises(InputError) as caught:
        release(people(30), **more)
    assert says in caught.value.message


def test_a_large_epsilon_is_warned_of_and_a_small_one_is_not() -> None:
    """With the factor that it allows."""
    assert not any(
        "gives hardly any protection" in note for note in release(people(30), 10).facts.notes
    )
    (note,) = (
        one for one in release(people(30), 12).facts.notes if "gives hardly any protection" in one
    )
    assert "e^12 = 162,755" in note


def test_fewer_specializations_than_asked_for_are_noted() -> None:
    """A sex has two values, and then no finer detail is possible."""
    found = release(
        people(2000),
        1,
        specializations=5,
        declared=Declarations(values={"sex": ("F", "M")}),
        sets=(),
    )
    assert len(found.facts.synthesis.steps) == 1
    assert found.facts.notes == (
        "Only 1 of 5 specializations were possible: no attribute can be divided further.",
    )
    none = release(people(2000), 1, specializations=0)
    (note,) = none.facts.notes
    assert (
        note == "Without a specialization, the release shows only the distribution of the "
        "target classes."
    )


def test_the_verb_draws_from_the_system_and_takes_tables_of_libraries() -> None:
    """The same request twice gives two releases."""
    pandas = pytest.importorskip("pandas")
    request: dict[str, Any] = {
        "epsilon": 0.5,
        "target": "died",
        "classes": ["no", "yes"],
        "ranges": {"age": "20..59"},
        "values": {"sex": ["F", "M"]},
        "specializations": 3,
    }
    frame = pandas.DataFrame(table(people(500)))
    found = [rs.synthesize(frame, **request) for _ in range(4)]
    assert len({str(one.to_dict()["records_by_class"]) for one in found}) > 1
    assert list(found[0].to_pandas().columns) == ["age", "sex", "died"]
    assert found[0].to_polars().height == found[0].facts.records
