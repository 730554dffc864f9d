"""``synthesize --for sample``: a generalized sample, from the request to the folder."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import run
from pydantic import TypeAdapter
from seeded_mechanisms import SeededMechanisms
from small_tables import read_csv, write_csv

import roadstead as rs
from roadstead.attacks.membership.audit import audited_epsilon
from roadstead.errors import InputError
from roadstead.release.documents import fingerprint
from roadstead.release.ledger.folder import held_ledger
from roadstead.release.private.certificate import (
    PrivateCertificate,
    rendered,
    sealed,
)
from roadstead.reports.synthesis.sample import SampleFacts
from roadstead.requests.origin import Origin
from roadstead.verbs.synthesize.domains import declarations_of
from roadstead.verbs.synthesize.request import SynthesizeRequest
from roadstead.verbs.synthesize.samples import sample_settings_of
from roadstead.verbs.synthesize.synthesis import synthesized

pytest.importorskip("opendp")

ADAPTER = TypeAdapter(PrivateCertificate)
NAMES = ("age", "sex", "ward")
WARDS = {"kind": "mapping", "groups": {"north": ["N1", "N2"], "south": ["S1"]}}
ASKED: dict[str, Any] = {
    "purpose": "sample",
    "delta": 1e-4,
    "ranges": {"age": "20..59"},
    "values": {"sex": ("F", "M")},
    "declared": {"ward": WARDS},
}


def people(records: int = 2000, seed: int = 1) -> list[tuple[str, ...]]:
    """Make up people; a few have a ward or an age that no domain has."""
    chance = random.Random(seed)  # noqa: S311 - made-up patients keep no secret
    wards = ["N1", "N2", "S1", "S1", "S1"]
    made = [
        (str(chance.randint(20, 59)), chance.choice("FM"), chance.choice(wards))
        for _ in range(records)
    ]
    return [*made, ("30", "F", "elsewhere"), ("99", "F", "N1")]


def table(records: list[tuple[str, ...]]) -> dict[str, list[str]]:
    """Put records into columns."""
    return {name: [record[at] for record in records] for at, name in enumerate(NAMES)}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with numbers, values, and groups whose levels are given."""
    out = tmp_path_factory.mktemp("original") / "release"
    levels = {"age": 2, "sex": 0, "ward": 1}
    rs.synthesize(table(people()), epsilon=2, levels=levels, **ASKED).write(out)
    return out


@pytest.fixture
def release(original: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "release"
    copy.mkdir()
    for file in original.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


def test_a_release_has_true_records_in_large_classes_and_passes(release: Path) -> None:
    """Each line is one of the table's, no class has more than there are, none too few."""
    assert run("verify", release).code == 0
    head, *records = read_csv(release / "records.csv")
    assert head == NAMES
    certificate = json.loads((release / "certificate.json").read_text("utf-8"))
    shown = Counter(records)

    def told(age: str, sex: str, ward: str) -> tuple[str, ...]:
        begin = int(age) // 10 * 10
        return f"{begin} to {begin + 9}", sex, {"S1": "south"}.get(ward, "north")

    there = Counter(told(*one) for one in people()[:-2])
    assert shown
    assert all(n <= there[one] for one, n in shown.items())
    assert min(shown.values()) >= certificate["released"]["least"]
    assert certificate["released"]["delta"] == 1e-4
    page = (release / "report.html").read_text("utf-8")
    assert "delta = 0.0001" in page
    for source in ("dwork", "li2012", "bild"):
        assert f'href="#{source}"' in page
        assert f'id="{source}"' in page
    assert "mckenna" not in page


def test_levels_are_chosen_with_a_share_of_epsilon(tmp_path: Path) -> None:
    """A tenth, or what is said; the ledger has both steps, and the page can be made."""
    found = rs.synthesize(table(people()), epsilon="1/2", share=0.2, **ASKED)
    assert isinstance(found.shown, SampleFacts)
    assert [str(one.epsilon) for one in found.shown.sample.ledger] == ["1/10", "2/5"]
    assert found.write(tmp_path / "release").passed
    page = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "chosen with differential privacy" in page
    assert 'id="mckenna"' in page
    assert found.to_arrow().num_rows == found.shown.records
    assert "for a sample" in repr(found)
    assert "Levels chosen with differential privacy" in str(found)


def test_a_column_without_a_domain_is_refused_with_the_reason() -> None:
    """Whatever it holds."""
    with pytest.raises(InputError, match="only at declared levels") as told:
        rs.synthesize(table(people(20)), epsilon=1, quasi=["sex", "age", "ward"],
                      **{**ASKED, "declared": {}})  # fmt: skip
    assert "ward" in str(told.value)


@pytest.mark.quick(10)
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"delta": None}, "a sample requires a delta"),
        ({"delta": 1.5}, "delta"),
        ({"target": "sex"}, "no column is released unchanged"),
        ({"classes": ("a", "b")}, "no column is released unchanged"),
        ({"specializations": 4}, "levels instead of specializations"),
        ({"share": 2}, "is not a share of epsilon"),
        ({"share": 0.1, "levels": {"age": 0}}, "no share of epsilon"),
        ({"levels": {"age": 0}}, "level of 'sex'"),
        ({"levels": {"age": 99, "sex": 0, "ward": 0}}, "level of 'age'"),
        ({"levels": {"age": 0, "sex": 0.5, "ward": 0}}, "its value for 'sex' is '0.5'"),
        ({"levels": {"age": 0, "sex": 0, "ward": 0, "x": 0}}, "level of 'x'"),
        ({"delta": "little"}, "delta"),
        ({"person": "age", "rows_per_person": 2}, "sampled with several records"),
        ({"sets": {"codes": {"column": "ward"}}}, "set does not have levels"),
        ({"epsilon": 1e-5}, "use a larger epsilon"),
        ({"epsilon": 9}, "use a smaller epsilon"),
        ({"delta": 1e-310}, "delta"),
        ({"purpose": "everything"}, "only to a generalized sample"),
        ({"declared": {"ward": WARDS, "age": {"kind": "cuts", "cuts": [[30]]}}}, "equal width"),
        ({"outside": "stop"}, "outside the declared domain"),
    ],
)
def test_what_means_nothing_is_refused(more: dict[str, Any], said: str) -> None:
    """Each with what to do."""
    with pytest.raises(InputError, match=said):
        rs.synthesize(table(people(20)), **{"epsilon": 1, **ASKED, **more})


def test_persons_become_one_record_each(tmp_path: Path) -> None:
    """Then a person is drawn or not."""
    rows = [(f"{at // 3}", *row) for at, row in enumerate(people(900))]
    columns = {n: [row[at] for row in rows] for at, n in enumerate(("who", *NAMES))}
    found = rs.synthesize(columns, epsilon=2, person="who", per_person="most", **ASKED)
    assert found.write(tmp_path / "release").passed
    assert "for people" in found.guarantee
    page = (tmp_path / "release" / "report.html").read_text("utf-8")
    several = page.partition("People with several names in the table")[2]
    assert "epsilon is multiplied by n, and delta by n e^" in several
    assert found.shown.records <= 300


def test_a_ledger_adds_epsilons_and_deltas(tmp_path: Path) -> None:
    """A request above the rest of the budget is refused, and the entry has the delta."""
    book, rows = tmp_path / "book", tmp_path / "rows.csv"
    book.mkdir()
    write_csv(rows, [*NAMES], people(600))
    asked = ("synthesize", rows, "--for", "sample", "--delta", "1e-4", "--values", "sex=F,M",
             "--ledger", book, "--ledger-epsilon", "1", "--epsilon")  # fmt: skip
    first = run(*asked, "0.5", "--out", tmp_path / "one")
    assert "Delta is 0.0001 in total" in first.out
    second = run(*asked, "0.5", "--out", tmp_path / "two")
    assert "Delta is 0.0002 in total" in second.out
    assert run(*asked, "0.1", "--out", tmp_path / "three").code == 1
    with held_ledger(book) as ledger:
        assert [one.delta for one in ledger.of_people("")] == [1e-4, 1e-4]


def test_the_document_is_as_its_schema_says(tmp_path: Path) -> None:
    """One JSON object, from a project file too."""
    write_csv(tmp_path / "rows.csv", [*NAMES], people(600))
    project = tmp_path / "project.toml"
    project.write_text(
        'data = "rows.csv"\n[synthesis]\nfor = "sample"\nepsilon = 1\ndelta = 1e-4\n'
        "levels = {sex = 0}\n"
        '[domains.sex]\nvalues = ["F", "M"]\n',
        encoding="utf-8",
    )
    said = run("synthesize", "--project", project, "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert (document["for"], document["delta"], document["levels"]) == ("sample", 1e-4, {"sex": 0})
    assert document["least_class"] > 2


def test_a_gate_asks_for_delta_too(release: Path, tmp_path: Path) -> None:
    """A rule of epsilon alone is not met by a promise that has a delta."""
    for rule, code in (("", 1), ("delta = 1e-3\n", 0), ("delta = 1e-5\n", 1)):
        policy = tmp_path / "gate.toml"
        policy.write_text(f"[promise]\nepsilon = 3\n{rule}", encoding="utf-8")
        assert run("gate", release, "--rules", policy).code == code


def test_it_is_attacked_and_membership_is_what_is_tried(release: Path, tmp_path: Path) -> None:
    """Attacks that do not apply give a reason; membership is compared with epsilon and delta."""
    write_csv(tmp_path / "rows.csv", [*NAMES], people())
    write_csv(tmp_path / "others.csv", [*NAMES], people(seed=2))
    tried = run("attack", release, "--original", tmp_path / "rows.csv", "--held-out",
                tmp_path / "others.csv", "--json")  # fmt: skip
    assert tried.code == 0, tried.err
    document = json.loads(tried.out)
    assert "private-membership" in {one["attack"] for one in document["attacks"]}
    why = {one["attack"]: one["why"] for one in document["untried"]}
    assert "no one knows whose records were sampled" in why["linkage"]
    assert "levels of a sample" in why["downcoding"]


def seal(folder: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
    """Certify the files as they are now."""
    path = folder / "certificate.json"
    document = json.loads(path.read_text("utf-8"))
    change(document)
    document["files"] = [vars(fingerprint(folder / one["name"])) for one in document["files"]]
    path.write_bytes(rendered(sealed(ADAPTER.validate_python(document))))


def _one_record_less_in_a_class(folder: Path) -> None:
    head, *rows = read_csv(folder / "records.csv")
    least = json.loads((folder / "certificate.json").read_text("utf-8"))["released"]["least"]
    kept = [row for row in rows if row != rows[0]] + [rows[0]] * (least - 1)
    write_csv(folder / "records.csv", list(head), sorted(kept))


def _another_order(folder: Path) -> None:
    head, *rows = read_csv(folder / "records.csv")
    write_csv(folder / "records.csv", list(head), rows[::-1])


def _finer(folder: Path) -> None:
    text = (folder / "records.csv").read_text("utf-8")
    (folder / "records.csv").write_text(text.replace("north", "N1"), encoding="utf-8")


@pytest.mark.parametrize("forge", [_one_record_less_in_a_class, _another_order, _finer])
def test_forged_records_are_found_out_though_sealed(
    release: Path, forge: Callable[[Path], None]
) -> None:
    """A class that is too small, another order, or a value below its level."""
    forge(release)
    seal(release)
    assert not rs.verify(release).passed


@pytest.mark.parametrize(
    ("where", "value", "failed"),
    [
        ("least", 2, "the probability and the smallest group fit epsilon and delta"),
        ("chance", "99/100", "the probability and the smallest group fit epsilon and delta"),
        ("chance", "1/0", "the probability and the smallest group fit epsilon and delta"),
        ("delta", 1e-9, "the release is a generalized sample"),
        ("classes", 1, "the numbers of records and groups match the certificate"),
        ("levels", [0, 0, 0], "each attribute has the certified level"),
    ],
)
def test_forged_numbers_are_found_out(release: Path, where: str, value: Any, failed: str) -> None:  # noqa: ANN401 - of any kind
    """Figures that follow from the folder are computed again."""

    def change(document: dict[str, Any]) -> None:
        document["released"][where] = value

    seal(release, change)
    assert failed in {one.check for one in rs.verify(release).failed}


def test_a_level_of_another_width_is_found_out(release: Path) -> None:
    """The intervals follow from what is certified of them."""

    def change(document: dict[str, Any]) -> None:
        document["settings"]["widths"]["age"]["widths"][2] = "7"

    seal(release, change)
    assert "each attribute has the certified level" in {
        one.check for one in rs.verify(release).failed
    }


@pytest.mark.parametrize("own", ["1e40", [1], {"widths": [[0]], "origin": "0"}, None])
def test_widths_that_cannot_be_read_fail_and_do_not_stop_the_check(
    release: Path,
    own: Any,  # noqa: ANN401 - of any kind
) -> None:
    """A check that cannot be made counts as failed."""

    def change(document: dict[str, Any]) -> None:
        widths = document["settings"]["widths"]
        if own == "1e40":
            widths["age"]["origin"] = own
        else:
            widths["age"] = own

    seal(release, change)
    assert "each attribute has the certified level" in {
        one.check for one in rs.verify(release).failed
    }


def test_a_claim_for_several_records_of_a_person_is_found_out(release: Path) -> None:
    """Chance and least class are reckoned for one record, so five cost five times as much."""

    def change(document: dict[str, Any]) -> None:
        document |= {"protects": "persons", "rows_per_person": 5}
        document["settings"] |= {"person": "who", "rows_per_person": 5}

    seal(release, change)
    assert [one.check for one in rs.verify(release).failed] == [
        "the release is a generalized sample"
    ]


@pytest.mark.nightly
def test_the_whole_run_tells_neighbors_apart_no_better_than_epsilon_and_delta() -> None:
    """From the rows to what is released, levels chosen: 300 runs on each of two tables."""
    request = SynthesizeRequest(
        data="",
        epsilon=0.5,
        origin=Origin(),
        purpose="sample",
        delta=1e-2,
        values={"sex": ("F", "M")},
    )
    settings, declared = sample_settings_of(request), declarations_of(request)

    def outcomes(women: int, seed: int) -> list[int]:
        rows = {"sex": ["F"] * women + ["M"] * 90}
        mechanisms = SeededMechanisms(seed)
        made = [synthesized(rows, settings, declared, mechanisms).shown for _ in range(300)]
        return [one.records for one in made]

    with_her, without = outcomes(60, 1), outcomes(59, 2)
    assert len({*with_her}) > 10
    assert audited_epsilon(with_her, without, 0.99) <= 0.5
    assert audited_epsilon(without, with_her, 0.99) <= 0.5
