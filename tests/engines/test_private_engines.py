"""With the same chance a synthesis is the same wherever the records and their items are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from commands import run
from seeded_mechanisms import SeededMechanisms
from stores import Duckdb, Files, Postgres
from streams import watch_streams

from roadstead.differential.persons.one_record import OneValue
from roadstead.errors import SourceError
from roadstead.tables import item_sets as item_sets_module
from roadstead.tables import transfer
from roadstead.tables.engine import ROWS
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import ItemTable, unmatched, with_item_sets
from roadstead.tables.reading import read_privately
from roadstead.verbs.synthesize import gathering
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.persons import PersonRecords
from roadstead.verbs.synthesize.placing import place
from roadstead.verbs.synthesize.sets import item_sets, opened_sets
from roadstead.verbs.synthesize.settings import settings_of
from roadstead.verbs.synthesize.synthesis import synthesized

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import ibis
    import pyarrow as pa
    from postgres_server import Server
    from stores import Cells, Store

    from roadstead.differential.private_table import PrivateTable
    from roadstead.verbs.synthesize.result import SynthesisFinding

pytestmark = pytest.mark.nightly
"""`test_store_contract.py` tests the properties of every engine in each run."""

REQUEST = settings_of(3, "died", ("no", "yes"), 5, "max-gain", "leave-out")
CODES = ("a", "b", "c", "d|e")
DECLARED = Declarations(ranges={"age": "20..79"}, values={"sex": ("F", "M"), "dx": CODES})
COLUMNS = ("who", "age::int", "sex", "list::text[]", "text", "dx1", "dx2", "died")
VISITS = ("who", "visit", "code")


def people() -> list[Cells]:
    """Make up people of whom the old and those with the code "a" die; some have no place."""
    rows: list[Cells] = []
    for at in range(400):
        codes = [code for bit, code in enumerate(CODES) if at >> bit & 1 and at % 5]
        age = 20 + at * 7 % 60
        dies = age > 55 or "a" in codes
        rows.append(
            (
                f"person {at}",
                None if at == 7 else str(age),
                "?" if at == 8 else "FM"[at % 2],
                None if at == 9 else [*codes, *codes[:1]],
                ";".join(codes) or None,
                codes[0] if codes else "",
                codes[1] if len(codes) > 1 else None,
                "yes" if dies else "no",
            )
        )
    return rows


def visits() -> list[Cells]:
    """Give each code of a person a visit, in an order of its own."""
    orders = ("10", "9", " 7 ", "-2", "+3.5", "2020-02-29", "", "1e400", "nan", "1_0")
    rows = [(row[0], row[3]) for row in people()]
    found: list[Cells] = [
        (str(who), orders[(at + step) % len(orders)], code)
        for at, (who, codes) in enumerate(rows)
        for step, code in enumerate(codes or ())
    ]
    return [*found, ("a stranger", "1", "a")]


FORMS: Mapping[str, dict[str, Any]] = {
    "lists": {"column": "list"},
    "texts with a delimiter": {"column": "text", "delimiter": ";"},
    "a column an item": {"columns": ("dx1", "dx2")},
    "a second table": {"key": "who", "code": "code"},
    "lists in order": {"column": "list", "longest": 2},
    "a second table in order": {"key": "who", "code": "code", "order": "visit", "longest": 3},
}


@pytest.fixture(params=["DuckDB", "PostgreSQL"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Each engine; one more is one more line here."""
    makers: dict[str, Callable[[], Store]] = {
        "DuckDB": lambda: Duckdb(tmp_path / "clinic.duckdb"),
        "PostgreSQL": lambda: Postgres(request.getfixturevalue("postgres")),
    }
    return makers[request.param]()


def synthesis(place: str, second: str, form: Mapping[str, Any]) -> SynthesisFinding:
    """Synthesize a table with one kind of set; chance repeats itself."""
    spec = {**form, "file": second} if "key" in form else form
    declared = DECLARED
    with read_privately(place) as source:
        return synthesized(
            source, REQUEST, replace(declared, sets=item_sets({"dx": spec})), SeededMechanisms(5)
        )


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_synthesis_is_the_same_as_of_files(
    store: Store, tmp_path: Path, form: dict[str, Any]
) -> None:
    """Every group, every noisy count, and the custodian's information."""
    found = []
    for one in (Files(tmp_path), store):
        table, second = one.load("people", COLUMNS, people()), one.load("visits", VISITS, visits())
        found.append(synthesis(table, second, form))
    ours, theirs = found
    assert theirs.to_arrow().equals(ours.to_arrow())
    assert theirs.facts.counts.tolist() == ours.facts.counts.tolist()
    assert theirs.to_dict()["cut"] == ours.to_dict()["cut"]
    assert theirs.private == ours.private
    assert theirs.private.left_out
    assert "dx" in theirs.to_dict()["cut"]


@pytest.mark.parametrize("form", ["texts with a delimiter", "a second table in order"])
@pytest.mark.parametrize("rows", [None, 1, 9])
def test_persons_are_the_same_as_of_files(
    store: Store, tmp_path: Path, form: str, rows: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One record per person, and with one key the chosen rows; most people have three visits."""
    monkeypatch.setattr(gathering, "token_bytes", lambda size: b"k" * size)
    cells = [
        (str(row[0]) if at % 50 else None, *row[1:])
        for at, row in enumerate(people() + people()[:200] + people()[100:300])
    ]
    who = PersonRecords("who", rows, {"": OneValue("last", "age"), "sex": OneValue("most")})
    found = []
    for one in (Files(tmp_path), store):
        place, second = one.load("people", COLUMNS, cells), one.load("visits", VISITS, visits())
        spec = {**FORMS[form], "file": second} if "key" in FORMS[form] else FORMS[form]
        with read_privately(place) as source:
            declared = replace(DECLARED, sets=item_sets({"dx": spec}), persons=who)
            found.append(synthesized(source, REQUEST, declared, SeededMechanisms(5)))
    ours, theirs = found
    assert theirs.to_arrow().equals(ours.to_arrow())
    assert theirs.facts.counts.tolist() == ours.facts.counts.tolist()
    assert theirs.private.lines == ours.private.lines
    assert "without a person ID were left out" in "\n".join(ours.private.lines)


def test_a_second_table_of_the_same_database_is_gathered_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the connection that reads the first, within the state that it sees; nothing is brought."""
    first, second = store.load("people", COLUMNS, people()), store.load("visits", VISITS, visits())

    def brought(*_: object) -> None:
        raise AssertionError("rows were brought")

    monkeypatch.setattr(item_sets_module, "stream", brought)
    one = ItemTable("dx", second, "who", "who", "code")
    with read_privately(first) as source, opened_sets([one], source) as (there,):
        assert isinstance(there, ItemTable)
        assert there.source.table.get_backend() is source.table.get_backend()
        table = summarize(with_item_sets(source, [one]), ("who", "dx"))
        assert unmatched(source, one) == 1
        dx = dict(zip(table.codes[0].tolist(), table.codes[1].tolist(), strict=True))
        sets = {table.domains[0][who]: table.domains[1][own] for who, own in dx.items()}
    assert sets["person 3"] == "{a|b}"
    assert sets["person 8"] == "{d\\|e}"
    assert sets["person 5"] == "{}"


def test_no_name_of_a_person_leaves_the_engine(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transfer has distinct combinations of the attributes, each with its count."""
    first, second = store.load("people", COLUMNS, people()), store.load("visits", VISITS, visits())
    seen: list[str] = []
    with read_privately(first) as source:
        kind = type(source.table.get_backend())
    streaming, fetching = transfer.stream, kind.to_pyarrow

    def streamed(table: ibis.Table, rows: int = ROWS) -> pa.RecordBatchReader:
        whole = streaming(table, rows).read_all()
        seen.append(str(whole.to_pydict()))
        return whole.to_reader()

    def fetched(self: Any, expression: Any, /, **more: Any) -> Any:  # noqa: ANN401 - as Ibis has it
        result = fetching(self, expression, **more)
        seen.append(str(result.to_pylist() if hasattr(result, "to_pylist") else result))
        return result

    watch_streams(monkeypatch, streamed)
    monkeypatch.setattr(kind, "to_pyarrow", fetched)
    synthesis(first, second, FORMS["a second table in order"])
    assert any("{1:a" in one for one in seen)
    assert not any("person" in one for one in seen)


def records_of(table: PrivateTable) -> Counter[tuple[Any, ...]]:
    """Take a private table apart into its records."""
    columns: list[list[Any]] = []
    for codes, sets in zip(table.codes, table.sets, strict=True):
        if sets is None:
            columns.append(codes.tolist())
        else:
            starts = sets.starts.tolist()
            columns.append([tuple(sets.items[starts[c] : starts[c + 1]]) for c in codes.tolist()])
    found: Counter[tuple[Any, ...]] = Counter()
    for *row, count in zip(*columns, table.target.tolist(), table.counts.tolist(), strict=True):
        found[tuple(row)] += count
    return found


ODD: Sequence[tuple[Cells, bool]] = (
    (("odd", "NaN", "F", ["a"], "a", "yes"), False),
    (("odd", "Infinity", "F", ["a"], "a", "yes"), True),
    (("odd", "1e300", "F", ["a"], "a", "yes"), True),
    (("odd", None, "F", ["a"], "a", "yes"), False),
    (("odd", "30", "'F\"; --", [], "", "yes"), False),
    (("odd", "30", "F", ["{", "a|b", "\\", "", "'"], "a;;\\;{|", "yes"), True),
    (("odd", "30", "F", None, None, "yes"), True),
    (("odd", "30.5", "M", ["é\u0301", "a"], " a ; a ", "no"), True),
    ((None, "30", "M", ["a"], "x" * 5_000, "no"), True),
)


@pytest.mark.parametrize(("odd", "kept"), ODD, ids=range(len(ODD)))
def test_one_odd_record_changes_nothing_but_itself(store: Store, odd: Cells, *, kept: bool) -> None:
    """How the others are read is said by the types of the columns, and by no record."""
    columns = ("who", "age::double precision", "sex", "list::text[]", "text", "died")
    plain: list[Cells] = [
        (f"person {at}", str(20 + at % 60), "FM"[at % 2], ["a"], "a;b", "no") for at in range(300)
    ]
    spec = {"dx": {"column": "list"}, "more": {"column": "text", "delimiter": ";"}}
    declared = Declarations(
        ranges={"age": "20..79"}, values={"sex": ("F", "M"), "dx": CODES, "more": CODES}
    )
    both = []
    for rows in (plain, [*plain, odd]):
        with read_privately(store.load("people", columns, rows)) as source:
            placed = place(
                source, REQUEST, replace(declared, sets=item_sets(spec), quasi=("age", "sex"))
            )
            both.append(records_of(placed.records))
    without, with_it = both
    assert without.total() == 300
    assert without - with_it == Counter()
    assert (with_it - without).total() == int(kept)


def test_a_table_without_records_is_released_like_any_other(store: Store) -> None:
    """A refusal would reveal its first record, or that of a second table without rows."""
    first, second = store.load("people", COLUMNS, []), store.load("visits", VISITS, [])
    for form in FORMS.values():
        assert synthesis(first, second, form).private.records == 0


def test_the_command_takes_addresses_for_both_tables(store: Store, tmp_path: Path) -> None:
    """On its command line and in a project file; the output never shows the database's place."""
    first = store.load("people", COLUMNS, people())
    second = store.load("visits", VISITS, visits())
    project = tmp_path / "study.toml"
    project.write_text(
        f'data = "{first}"\n[sets.dx]\nfile = "{second}"\nkey = "who"\ncode = "code"\n'
        'order = "visit"\nlongest = 2\n'
    )
    common = (
        *("--epsilon", "9", "--target", "died", "--classes", "no,yes", "--json"),
        *("--range", "age=20..79", "--values", "dx=a,b,c"),
    )
    ordered = ("--sets", f"dx={second}:who:code:visit", "--sequence", "dx", "--longest", "2")
    for ran in (
        run("synthesize", first, *common, "--sets", f"dx={second}:who:code"),
        run("synthesize", first, *common, *ordered),
        run("synthesize", "--project", project, *common),
    ):
        assert ran.code == 0, ran.err
        assert "visits" in ran.json["unit"]
        assert "127.0.0.1" not in ran.out
        assert str(tmp_path) not in ran.out


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("duckdb://x.duckdb:who:code", "the columns of the second table must follow"),
        ("duckdb://x.duckdb?table=codes:who", "the columns of the second table must follow"),
        ("duckdb://x.duckdb?table=codes:a:b:c:d", "and a colon in TABLE as %3A"),
        ("postgresql://ann:word@h/d?table=codes:who:code", "contains a password"),
    ],
)
def test_an_address_without_columns_is_refused(store: Store, address: str, says: str) -> None:
    first = store.load("people", COLUMNS, people())
    ran = run(
        *("synthesize", first, "--epsilon", "1", "--target", "died", "--classes", "no,yes"),
        *("--values", "dx=a,b", "--sets", f"dx={address}"),
    )
    assert ran.code == 2
    assert says in ran.error
    assert "word" not in ran.error.replace("password", "")


def test_a_name_with_a_colon_is_written_as_in_any_address(tmp_path: Path) -> None:
    store = Duckdb(tmp_path / "a:b?.duckdb")
    first, _ = store.load("people", COLUMNS, people()), store.load("c:d", VISITS, visits())
    second = f"duckdb://{quote(str(store.path))}?table=c%3Ad"
    ran = run(
        *("synthesize", first, "--epsilon", "1", "--target", "died", "--classes", "no,yes"),
        *("--values", "dx=a,b", "--sets", f"dx={second}:who:code", "--json"),
    )
    assert ran.code == 0, ran.err


def test_a_second_table_of_another_user_is_in_another_database(postgres: Server) -> None:
    """It is read as that user, and its sets cannot be brought to what is only read."""
    store = Postgres(postgres)
    first, second = store.load("people", COLUMNS, people()), store.load("visits", VISITS, visits())
    other = ItemTable("dx", second.replace("reader@", "owner@"), "who", "who", "code")
    with (
        read_privately(first) as source,
        pytest.raises(SourceError, match="because the database is read-only"),
    ):
        with_item_sets(source, [other])
