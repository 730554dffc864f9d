"""A table gives the same release from a file, from DuckDB and from PostgreSQL."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pytest
from commands import run, run_apart, without_charts
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from patience import wait_until
from postgres_server import SECRET

import roadstead as rs
from roadstead.cohort import write_csv
from roadstead.errors import RoleError, SourceError
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import ItemColumn, ItemColumns, ItemSet, ItemTable, with_item_sets
from roadstead.tables.reading import read
from roadstead.tables.text import as_text
from roadstead.tables.transfer import brought

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from postgres_server import Server

    from roadstead.tables.source import Source

ROLES = (
    "--quasi",
    "sex,race,zip,admission_date",
    "--sensitive",
    "diagnosis,outcome",
    "--identifiers",
    "record_number,name,birth_date",
)
TYPED = {"birth_date": "date", "admission_date": "date", "length_of_stay": "int"}
Row = tuple[str | None, ...]


def in_duckdb(path: Path, table: str, columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Make a table of DuckDB; the type is written after two colons."""
    named = [column.partition("::")[::2] for column in columns]
    spec = ", ".join(f"{quoted(name)} {kind or 'text'}" for name, kind in named)
    cells = {f"c{at}": pa.array([row[at] for row in rows], pa.string()) for at in range(len(named))}
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE OR REPLACE TABLE {quoted(table)} ({spec})")
        connection.register("cells", pa.table(cells))
        connection.execute(f"INSERT INTO {quoted(table)} FROM cells")
    return f"duckdb://{quote(str(path))}?table={quote(quoted(table))}"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def content(source: Source) -> Counter[tuple[str, ...]]:
    """Every record as texts, with how often it occurs."""
    names = source.columns
    texts = {f"c{at}": as_text(source.table[name]) for at, name in enumerate(names)}
    table = source.table.select(**texts).to_pyarrow()
    columns = [table[f"c{at}"].to_pylist() for at in range(len(names))]
    return Counter(zip(*columns, strict=True))


def released(folder: Path) -> Counter[tuple[str, ...]]:
    (table,) = (file for file in folder.iterdir() if file.suffix in {".csv", ".parquet"})
    with read(table) as source:
        return content(source)


def patients(folder: Path) -> tuple[Path, list[str], list[Row]]:
    """Write the made-up patients to a file, and give their cells."""
    path = write_csv(folder / "patients.csv", 1_000, seed=3)
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return path, header, [tuple(cell or None for cell in row) for row in rows]


def told(document: dict[str, Any]) -> dict[str, Any]:
    """Take out what differs between two runs of one thing."""
    return {k: v for k, v in document.items() if not k.startswith("seconds") and k != "out"}


@pytest.mark.nightly
def test_a_release_of_the_cohort_is_the_same_from_each(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Policy, figures, and every released row; read by one who may do nothing but read."""
    without_charts(monkeypatch)
    path, header, rows = patients(tmp_path)
    typed = [f"{name}::{TYPED[name]}" if name in TYPED else name for name in header]
    postgres.load("patients", typed, rows)
    before = everything(postgres)
    places = [
        str(path),
        in_duckdb(tmp_path / "clinic.duckdb", "patients", typed, rows),
        postgres.address("patients"),
    ]
    found = []
    for at, place in enumerate(places):
        ran = run("anonymize", place, *ROLES, "--out", tmp_path / f"release{at}", "--json")
        assert ran.code == 0, ran.err
        found.append((told(ran.json), released(tmp_path / f"release{at}")))
    assert found[0][0]["suppressed"] > 0
    assert sum(found[0][1].values()) == 1_000
    assert found[0] == found[1] == found[2]
    assert everything(postgres) == before
    applied = run(
        "apply",
        tmp_path / "release0" / "policy.json",
        postgres.address("public.patients"),
        "--out",
        tmp_path / "applied",
    )
    assert applied.code == 0, applied.err
    assert released(tmp_path / "applied") == found[0][1]


def everything(server: Server) -> list[tuple[Any, ...]]:
    """Every object of the database, and how often rows were ever written."""
    return server.run(
        "SELECT c.oid::int, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n "
        "ON n.oid = c.relnamespace ORDER BY 1"
    )


@pytest.mark.nightly
def test_a_release_of_adult_is_the_same_from_each(
    postgres: Server, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_charts(monkeypatch)
    path = data_dir / "adult" / "adult.csv"
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter=";")
    typed = [f"{name}::int" if name == "age" else name for name in header]
    cells: list[Row] = [tuple(cell or None for cell in row) for row in rows]
    postgres.load("adult", typed, cells)
    found = []
    for at, place in enumerate(
        [
            str(path),
            in_duckdb(tmp_path / "adult.duckdb", "adult", typed, cells),
            postgres.address("adult"),
        ]
    ):
        arguments = ("--quasi", ",".join(header), "--hierarchies", data_dir / "adult/hierarchies")
        out = tmp_path / f"release{at}"
        ran = run("anonymize", place, *arguments, "--out", out, "--json")
        assert ran.code == 0, ran.err
        found.append((told(ran.json), released(out)))
    assert found[0] == found[1] == found[2]


NASTY_NAMES = (
    "count",
    "select",
    "Mixed Case",
    'quo"te',
    "semi;colon -- x",
    "apostrophe's",
    "naïve 日本",
    "{brace} %s",
    "back\\slash",
    " leading",
    "value_0",
    "number",
    "order by",
)
ODD = (
    "",
    " ",
    "a",
    "A",
    "a ",
    " a",
    "'",
    '"',
    "O'Neil; --",
    "%s",
    "{}",
    "\\",
    "\\N",
    "é",
    "e\u0301",
)
ODDER = ("NULL", "null", "\t", "\n", "a\r\nb", "😀", "\u00a0", "1", "01", "1.0", "*")
nasty_text = st.one_of(
    st.none(),
    st.sampled_from((*ODD, *ODDER)),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4),
)


@examples(8)
@given(data=st.data())
def test_hostile_names_and_values_are_counted_as_they_are(
    postgres: Server, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Plain Python counts the same combinations; a null and an empty text are both missing."""
    names = data.draw(st.lists(st.sampled_from(NASTY_NAMES), min_size=1, max_size=3, unique=True))
    table = data.draw(st.sampled_from(["t", "T t", 'ta"ble', "a.b", "sélect", "t;--"]))
    rows = data.draw(st.lists(st.tuples(*[nasty_text for _ in names]), min_size=1, max_size=8))
    expected = Counter(tuple(cell or "" for cell in row) for row in rows)
    postgres.load(table, names, rows)
    path = tmp_path_factory.mktemp("nasty") / "odd [name] #1.duckdb"
    for place in (
        postgres.address(quote(quoted(table))),
        in_duckdb(path, table, names, rows),
    ):
        with read(place) as source:
            assert source.columns == tuple(names)
            counted = summarize(source, names)
        found = {
            tuple(domain[code] for domain, code in zip(counted.domains, codes, strict=True)): count
            for *codes, count in zip(*counted.codes, counted.counts.tolist(), strict=True)
        }
        assert found == expected


VALUES = (
    ("int", "7", "7"),
    ("smallint", "-3", "-3"),
    ("bigint", "9007199254740993", "9007199254740993"),
    ("boolean", "true", "true"),
    ("boolean", "false", "false"),
    ("date", "2020-02-29", "2020-02-29"),
    ("date", "0099-12-31", "0099-12-31"),
    ("timestamp", "2020-01-02 00:00:00", "2020-01-02"),
    ("timestamp", "2020-01-02 03:04:05.5", "2020-01-02 03:04:05.5"),
    ("time", "23:59:59", "23:59:59"),
    ("numeric(8,2)", "12.5", "12.50"),
    ("numeric(8,0)", "39", "39"),
    ("double precision", "39", "39"),
    ("double precision", "0.1", "0.1"),
    ("double precision", "0.30000000000000004", "0.30000000000000004"),
    ("double precision", "1e20", "1e+20"),
    ("double precision", "-inf", "-inf"),
    ("double precision", "nan", ""),
    ("real", "0.1", "0.1"),
    ("varchar(5)", "a ", "a "),
    ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
)


def test_a_value_of_any_type_reads_the_same(postgres: Server, tmp_path: Path) -> None:
    """Whatever form of dates and numbers the server is set to."""
    columns = [f"c{at}::{kind}" for at, (kind, _, _) in enumerate(VALUES)]
    row = tuple(written for _, written, _ in VALUES)
    postgres.load("types", columns, [row])
    expected = Counter([tuple(text for _, _, text in VALUES)])
    assert postgres.run("SELECT c5::text FROM types") == [("29.02.2020",)]
    for place in (
        postgres.address("types"),
        in_duckdb(tmp_path / "types.duckdb", "types", columns, [row]),
    ):
        with read(place) as source:
            assert content(source) == expected


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["numeric", "numeric(8,2)"])
def test_a_decimal_that_is_no_number_is_missing(postgres: Server, kind: str) -> None:
    """Fault class: NaN was a value, unlike the NaN of a floating-point number."""
    rows = [("f", "NaN"), ("m", "1"), ("f", "1"), ("m", None)] * 5
    postgres.load("nan", ["sex", f"n::{kind}"], rows)
    result = rs.anonymize(postgres.address("nan"), quasi=["n"], k=2)
    assert result.to_arrow()["n"].null_count == 10
    query = rs.as_sql(result.policy, postgres.address("nan"), dialect="postgres")
    assert sum(row == (None,) for row in postgres.run(query)) == 10


def test_instants_have_no_day_and_none_is_made_up(postgres: Server) -> None:
    """Half past midnight in Berlin is the day before in Greenwich.

    Fault class: a silent misread.
    """
    postgres.load("moments", ["at::timestamptz", "x::int"], [("2026-03-02 00:30:00+01", "1")])
    with read(postgres.address("moments")) as source:
        assert source.instants == {"at"}
        with pytest.raises(SourceError, match="column 'at': it contains points in time"):
            summarize(source, ("at",))
        assert summarize(source, ("x",)).records == 1


def test_enumerations_and_their_like_are_told_apart(postgres: Server) -> None:
    """Case in a text that ignores it, the zone of a time, the sign of a currency."""
    postgres.run(
        "DROP TABLE IF EXISTS kinds",
        "DROP TYPE IF EXISTS mood",
        "CREATE TYPE mood AS ENUM ('sad', 'Ok')",
    )
    columns = ("m::mood", "t::timetz", "c::money", "n::numeric(50,1)", "x::char(3)")
    row = ("Ok", "10:00:00+02", "$1.50", "1.5", "a")
    postgres.load("kinds", columns, [row, row, (None,) * 5])
    with read(postgres.address("kinds")) as source:
        table = summarize(source, ("m", "t", "c", "n", "x"))
        expected = (("", "Ok"), ("", "10:00:00+02"), ("", "$1.50"), ("", "1.5"), ("", "a"))
        assert table.domains == expected
        assert table.counts.tolist() == [1, 2]
        assert len(brought(source.table, source.name).to_pyarrow()) == 3


def test_an_enumeration_is_released_into_the_database(postgres: Server, tmp_path: Path) -> None:
    """Fault class: the check of the new table compared the enumeration with an empty string."""
    postgres.run("DROP TABLE IF EXISTS out, moods", "DROP TYPE IF EXISTS feeling")
    postgres.run("CREATE TYPE feeling AS ENUM ('sad', 'Ok')")
    postgres.load("moods", ["sex", "m::feeling"], [("f", "Ok"), ("f", None)] * 6)
    result = rs.anonymize(postgres.address("moods", "owner"), quasi=["sex"], unchanged=["m"])
    assert result.write(tmp_path / "out", into=postgres.address("out", "owner")).passed
    assert postgres.run("SELECT count(m), pg_typeof(min(m))::text FROM out") == [(6, "feeling")]
    postgres.run("DROP TABLE out")


def test_what_only_postgresql_has_is_released_as_its_text(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_charts(monkeypatch)
    rows = [("f", "10.0.0.1", '{"a": 1}', "1 day", "39.10", "{a,b}", "x")] * 6
    columns = (
        "sex",
        "net::inet",
        "doc::jsonb",
        "stay::interval",
        "n::numeric",
        "l::text[]",
        "plain",
    )
    postgres.load("odd", columns, rows)
    ran = run(
        *("anonymize", postgres.address("odd"), "--quasi", "sex", "--out", tmp_path / "out"),
        *("--unchanged", "doc,stay,n,l,plain", "--release-anyway", "net"),
    )
    assert ran.code == 0, ran.err
    assert released(tmp_path / "out") == Counter(
        [("f", "10.0.0.1/32", '{"a": 1}', "1 day", "39.10", "[a, b]", "x")] * 6
    )


@pytest.mark.filterwarnings("ignore:Exception ignored")  # Ibis leaves its cursor after an error
@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("day::date", "infinity", "a date is infinite"),
        ("at::timestamp", "0044-03-15 BC", "a timestamp is infinite, or outside the years"),
        ("at::timestamptz", "12345-01-01", "a timestamp is infinite, or outside the years"),
        ("clock::time", "24:00", "a time is 24:00"),
        ("n::numeric(8,2)", "NaN", "a number is NaN"),
    ],
)
def test_a_date_that_python_lacks_is_refused_by_its_column(
    postgres: Server, tmp_path: Path, column: str, value: str, why: str
) -> None:
    """Fault class: an error of the driver with the value, or advice to check a file."""
    postgres.load("beyond", ["sex", "born::date", column], [("f", "2020-01-01", value)] * 6)
    name = column.partition("::")[0]
    with read(postgres.address("beyond")) as source:
        result = rs.anonymize(source, quasi=["sex"], k=2, release_anyway=["born", name])
        for export in (result.to_arrow, lambda: result.write(tmp_path / "out")):
            with pytest.raises(SourceError, match=f"'{name}': {why}.* view") as refused:
                export()
            assert value not in str(refused.value) or value in ("24:00", "NaN")


def test_a_transaction_ends_with_the_work_or_with_its_result(postgres: Server) -> None:
    """Fault class: results kept a transaction open, for which ALTER TABLE waited."""
    ours = "SELECT pid FROM pg_stat_activity WHERE application_name = 'roadstead'"
    postgres.load("small", ["sex", "z"], [("f", "x"), ("m", "y")] * 20)
    address = postgres.address("small")
    asked: dict[str, Any] = {"quasi": ["sex"], "k": 2}
    before = set(postgres.run(ours))

    def is_open() -> bool:
        return not set(postgres.run(ours)) <= before

    found = rs.scan(address), rs.verify(address, **asked), rs.risk(address, quasi=["sex"])
    wait_until(lambda: not is_open(), "the end of a transaction")
    assert all(map(str, found))
    with pytest.raises(RoleError, match="none") as refused:
        rs.anonymize(address, quasi=["none"])
    wait_until(lambda: not is_open(), f"the end of a transaction after {refused.type}")
    with rs.anonymize(address, unchanged=["z"], **asked) as result:
        assert is_open()
        assert result.to_arrow().num_rows == 40
    wait_until(lambda: not is_open(), "the end of a result")


def test_a_run_sees_one_state_of_the_table_and_can_write_nothing(postgres: Server) -> None:
    """Commits of others meanwhile are not in the release."""
    postgres.load("live", ["a"], [("x",), ("y",)])
    with read(postgres.address("live", user="owner")) as source:
        assert summarize(source, ["a"]).records == 2
        postgres.run("INSERT INTO live VALUES ('z')", "DELETE FROM live WHERE a = 'x'")
        assert summarize(source, ["a"]).domains == (("x", "y"),)
        connection = source.table.get_backend().con
        for statement in (
            "CREATE TEMP TABLE t (a int)",
            "DELETE FROM live",
            "CREATE VIEW v AS SELECT 1",
        ):
            with pytest.raises(Exception, match="read-only"), connection.transaction():
                connection.execute(statement)
    with read(postgres.address("live")) as source:
        assert summarize(source, ["a"]).domains == (("y", "z"),)


def test_a_password_is_taken_from_the_environment_and_nothing_tells_it(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No user, host or port either, wherever a release or a project file goes."""
    without_charts(monkeypatch)
    postgres.load("small", ["sex", "age::int"], [("f", "30"), ("m", "40")] * 6)
    address = postgres.address("public.small", user="guarded")
    secrets = (SECRET, "guarded", "127.0.0.1", str(postgres.port))
    refused = run("anonymize", address, "--quasi", "sex")
    assert (refused.code, refused.out) == (2, "")
    assert refused.error.startswith("public.small: the server requires a password; set PGPASSWORD")
    monkeypatch.setenv("PGPASSWORD", "wrong")
    assert "refuses this user or password" in run("risk", address, "--quasi", "sex").error
    monkeypatch.setenv("PGPASSWORD", SECRET)
    out, page = tmp_path / "out", tmp_path / "page"
    answers = [
        run("anonymize", address, "--quasi", "sex,age", "--out", out),
        run("risk", address, "--quasi", "sex,age", "--out", page, "--population", address),
        run("scan", address, "--out", tmp_path / "project.toml"),
    ]
    for ran in answers:
        assert ran.code == 0, ran.err
        assert not any(secret in ran.out + ran.err for secret in secrets), ran.out + ran.err
    for file in out.iterdir():
        assert not any(secret.encode() in file.read_bytes() for secret in secrets), file
    for file in (*page.iterdir(), tmp_path / "project.toml"):
        assert not any(s.encode() in file.read_bytes() for s in (SECRET, "guarded")), file
    monkeypatch.setenv("PGUSER", "guarded")
    again = run("anonymize", "--project", tmp_path / "project.toml", "--quasi", "sex,age")
    assert again.code == 0, again.err


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda a: a.replace("table=small", "table=Small"), "did you mean small?"),
        (lambda a: a.replace("table=small", "table=care.small"), "did you mean public.small?"),
        (lambda a: a.replace("/clinic", "/clinical"), "there is no such database"),
        (lambda a: a.replace("reader@", "stranger@"), "the server refuses this user"),
        (
            lambda a: a.replace("reader@", "nobody_else@"),
            "the server does not accept this connection",
        ),
        (lambda a: a.replace("127.0.0.1", "no-such-host.invalid"), "there is no such host"),
        (lambda a: a + "&sslmode=require", "the server does not support TLS"),
        (
            lambda a: a.replace("table=small", "table=closed"),
            "you do not have permission to read it",
        ),
        (lambda a: a.replace("table=small", "table=void"), "there are no records"),
    ],
)
def test_a_table_that_cannot_be_opened_is_told_in_one_line(
    postgres: Server, change: Callable[[str], str], says: str
) -> None:
    """Without what the driver says, which names hosts and users."""
    postgres.load("small", ["sex"], [("f",)])
    postgres.load("void", ["sex"], [])
    postgres.load("closed", ["sex"], [("f",)])
    postgres.run("REVOKE ALL ON closed FROM reader")
    ran = run("risk", change(postgres.address("small")), "--quasi", "sex")
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.error
    assert not any(word in ran.error for word in ("127.0.0.1", "reader", "stranger", "invalid"))


def test_a_query_that_the_server_ends_is_told_without_its_words(postgres: Server) -> None:
    postgres.load("small", ["sex"], [("f",)])
    with read(postgres.address("small")) as source:
        postgres.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'roadstead'"
        )
        with pytest.raises(SourceError, match=r"small: the database closed the connection"):
            summarize(source, ["sex"])


def test_a_value_that_a_view_cannot_work_out_is_told_without_it(
    postgres: Server, tmp_path: Path
) -> None:
    """The error has no cause from the cursor, and no other word of the server."""
    postgres.load("small", ["sex"], [("SECRET",)])
    postgres.run("CREATE OR REPLACE VIEW uncast AS SELECT sex::int AS sex FROM small")
    try:
        address = postgres.address("uncast", user="owner")
        ran = run_apart("anonymize", address, "--quasi", "sex", folder=tmp_path)
    finally:
        postgres.run("DROP VIEW uncast")
    assert ran.code == 2
    assert ran.error.startswith(
        "uncast: the database cannot compute one of its values (InvalidTextRep"
    )
    assert "SECRET" not in ran.out + ran.err


SETS = ("id", "a", "b", "l", "arr::text[]")
SET_ROWS = [
    ("1", "x", "y", "p|q|p", ["m", "n", "m"]),
    ("2", "?", "x|y\\z", None, None),
    ("3", "z", None, "", []),
]


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "one",
    [
        ItemColumn("l", "l", "|"),
        ItemColumn("l", "l", "|", longest=2),
        ItemColumn("arr", "arr"),
        ItemColumns("s", ("a", "b")),
        ItemColumns("s", ("a", "b"), longest=1),
    ],
    ids=str,
)
def test_sets_are_the_same_from_memory_and_from_postgresql(postgres: Server, one: ItemSet) -> None:
    """An empty set and a missing one among them."""
    postgres.load("sets", SETS, SET_ROWS)
    names = [name.partition("::")[0] for name in SETS]
    cells = dict(zip(names, map(list, zip(*SET_ROWS, strict=True)), strict=True))
    found = []
    for data in (pa.table(cells), postgres.address("sets")):
        with read(data) as source:
            table = summarize(with_item_sets(source, [one]), ("id", one.name))
            found.append((table.domains, [codes.tolist() for codes in table.codes]))
    assert found[0] == found[1]


def test_a_second_table_of_items_comes_to_a_file_or_is_joined_where_it_lies(
    postgres: Server, tmp_path: Path
) -> None:
    """To a database nothing is brought."""
    rows = [("1", "c"), ("1", "b"), ("3", "z")]
    postgres.load("people", ["id"], [("1",), ("2",), ("3",)])
    postgres.load("codes", ["id", "code"], rows)
    file = tmp_path / "codes.csv"
    file.write_text("id,code\n" + "".join(f"{who},{code}\n" for who, code in rows))
    there = ItemTable("t", postgres.address("codes"), "id", "id", "code")
    for place in (pa.table({"id": ["1", "2", "3"]}), postgres.address("people")):
        with read(place) as people:
            table = summarize(with_item_sets(people, [there]), ("id", "t"))
            found = [table.domains[1][code] for code in table.codes[1]]
        assert found == ["{b|c}", "{}", "{z}"]
    here = ItemTable("t", file, "id", "id", "code")
    with read(postgres.address("people")) as people, pytest.raises(SourceError, match="read-only"):
        with_item_sets(people, [here])


def test_a_view_and_a_schema_of_its_own_can_be_read(postgres: Server) -> None:
    postgres.run(
        "DROP SCHEMA IF EXISTS care CASCADE",
        "CREATE SCHEMA care",
        "CREATE VIEW care.adults AS SELECT 'f'::text AS sex, 40 AS age",
        "GRANT USAGE ON SCHEMA care TO reader",
        "GRANT SELECT ON care.adults TO reader",
    )
    with read(postgres.address("care.adults")) as source:
        assert content(source) == Counter([("f", "40")])


def test_a_population_lies_in_a_database_too(postgres: Server, tmp_path: Path) -> None:
    """Its figures are those of the same people in a file."""
    people = [("f", "1")] * 30 + [("m", "2")] * 40 + [("m", "1")] * 25
    postgres.load("people", ["sex", "area"], people)
    text = io.StringIO()
    csv.writer(text).writerows([("sex", "area"), *people])
    (tmp_path / "people.csv").write_text(text.getvalue())
    (tmp_path / "table.csv").write_text("sex,area\n" + "f,1\n" * 3 + "m,2\n" * 2 + "m,1\n")
    found = [
        run("risk", tmp_path / "table.csv", "--quasi", "sex,area", "--population", place, "--json")
        for place in (str(tmp_path / "people.csv"), postgres.address("people"))
    ]
    assert [ran.code for ran in found] == [0, 0], found
    assert found[0].json["journalist"] == found[1].json["journalist"]
    assert found[0].json["journalist"]["maximum"] == pytest.approx(1 / 25)
