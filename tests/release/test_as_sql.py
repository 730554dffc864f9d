"""The SQL of a policy against the policy: labels against rules, and releases against apply.

DuckDB runs the statements, and a private PostgreSQL server if there is one.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
import sqlglot
import written_numbers_in_sql
from effort import sparing, unhurried
from hypothesis import example, given
from hypothesis import strategies as st
from postgres_server import Server
from small_tables import read_csv
from sqlglot import exp

import roadstead
from roadstead.cohort import write_csv as write_cohort
from roadstead.errors import PolicyError, SettingError, SourceError
from roadstead.hierarchies.rules import (
    Bands,
    Calendar,
    Cuts,
    Everything,
    Groups,
    Identity,
    Prefix,
    Rule,
)
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import (
    Policy,
    PolicyColumns,
    SuppressedRecords,
    Suppression,
    to_json,
)
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.release.apply import released_batches
from roadstead.release.documents import write_json
from roadstead.release.sql.comments import policy_fingerprint
from roadstead.release.sql.dialects import DIALECTS
from roadstead.release.sql.sql_release import SqlRelease, table_parts
from roadstead.release.sql.statement import check_statement, release_statement
from roadstead.tables.source import Source
from roadstead.verbs.apply.as_sql import as_sql

HOSTILE = ["'", '"', "`", "\\", ";", "--", "/*", "*/", "\n", "\r", "\t", "%", "{{x}}", "$$", "é☃😀"]
DECIMALS = st.decimals(-1000, 1000, places=2).map(lambda n: Decimal(str(n)).normalize())
PLAIN_NUMBERS = st.decimals(-2000, 2000, places=3).map(lambda n: format(Decimal(str(n)), "f"))
DAYS = st.builds(
    date.strftime,
    st.dates(min_value=date(1000, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%Y-%m-%d", "%d/%m/%Y", "%m%d%Y", "%d-%b-%y", "%Y", "%Y-%m"]),
)
PARTLY_WRITTEN = st.sampled_from(
    [
        "7-MAR-85",
        "07-mars-85",
        "29-Feb-00",
        "44197",
        "1955",
        "0999",
        "44197.5",
        "1899-1",
        "7/3/1985",
    ]
)
ODD = st.one_of(
    st.sampled_from(
        ["", " ", "-", ".", "-.", "1-2", "5.", ".5", "+5", "1e3", " 47 ", "047", "47.0"]
    ),
    st.sampled_from(["NaN", "inf", "٣", "4" * 19, "0." + "9" * 10, "-0", "1_000", "1,5", "0x1"]),
    st.sampled_from(["2023-02-29", "2024-02-29", "1900-02-29", "2000-02-29", "0000-01-01"]),
    st.sampled_from(["2024-1-1", "2024-13-01", "2024-00-10", "2024-04-31", "2024-01-01 junk"]),
    st.sampled_from(["2024-01-01T03:04:05.123Z", "2024-01-01 03:04", "2024-01-01Z", "20240101"]),
    st.text(alphabet=st.sampled_from("aB0-9.+: eT/'\"\\;é☃😀%_"), max_size=8),
)
BOTH: tuple[SuppressedRecords, ...] = ("mask", "drop")
IDENTIFYING = ["name", "record_number"]
VALUES = st.one_of(PLAIN_NUMBERS, st.integers(-300, 300).map(str), DAYS, PARTLY_WRITTEN, ODD)
LABELS = st.sampled_from(["a", "*", "", "A", "a ", "é", *HOSTILE])


@st.composite
def number_rules(draw: st.DrawFn) -> Rule:
    """Bands and cuts, their ends anywhere."""
    integer = draw(st.booleans())
    if draw(st.booleans()):
        return Cuts(tuple(draw(st.lists(DECIMALS, max_size=4, unique=True))), integer=integer)
    whole = draw(st.booleans())
    ends = st.integers(-100, 100).map(Decimal) if whole else DECIMALS
    widths = st.integers(1, 30).map(Decimal) if whole else DECIMALS.map(abs).filter(bool)
    bottom, top = sorted(draw(st.lists(ends, min_size=2, max_size=2, unique=True)))
    return Bands(
        draw(widths),
        draw(ends),
        integer=integer,
        bottom=bottom if draw(st.booleans()) else None,
        top=top if draw(st.booleans()) else None,
    )


RULES: st.SearchStrategy[Rule] = st.one_of(
    number_rules(),
    st.builds(
        Calendar,
        st.sampled_from(["day", "week", "month", "quarter", "year", "decade"]),
        st.sampled_from([None, None, "%Y-%m-%d", "%d/%m/%Y", "%m%d%Y"]),
        serials=st.booleans(),
        bottom=st.none() | st.integers(1000, 2100),
    ),
    st.builds(
        Calendar,
        st.sampled_from(["day", "year"]),
        st.sampled_from(["%d-%b-%y", "%y/%m/%d"]),
        st.sampled_from([1850, 1930, 1999]),
    ),
    st.builds(
        Prefix, st.integers(1, 4), st.none() | st.integers(1, 6), st.sampled_from(["*", "", "☃"])
    ),
    st.builds(Identity, st.none() | st.lists(VALUES | LABELS, max_size=4).map(tuple)),
    st.builds(Everything, LABELS),
    st.builds(
        Groups,
        st.lists(
            st.tuples(LABELS, st.lists(VALUES | LABELS, max_size=3).map(tuple)), max_size=3
        ).map(tuple),
    ),
)


def policy_of(
    rules: dict[str, Rule],
    *,
    limit: float = 1.0,
    records: SuppressedRecords = "drop",
    others: Sequence[str] = (),
) -> Policy:
    """Make a policy of 2-anonymity."""
    return Policy(
        tuple(AttributePolicy(name, 0, 1, rule) for name, rule in rules.items()),
        (KAnonymity(2).settings(),),
        Suppression(limit, records),
        PolicyColumns(unchanged=tuple(others), undecided=()),
    )


def said(
    policy: Policy,
    *parts: str,
    dialect: str = "duckdb",
    suppress_unseen: bool = False,
) -> SqlRelease:
    """Say a policy in SQL, for the table `t` if no other is named."""
    return SqlRelease(
        policy,
        (KAnonymity(2),),
        parts or ("t",),
        policy.released,
        dialect,
        suppress_unseen=suppress_unseen,
    )


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of its own."""
    with duckdb.connect() as connection:
        yield connection


def filled(
    engine: duckdb.DuckDBPyConnection, columns: Sequence[str], rows: Sequence[Sequence[str | None]]
) -> None:
    """Make the table `t` of text columns, afresh."""
    names = ", ".join(
        exp.to_identifier(name, quoted=True).sql("duckdb") + " TEXT" for name in columns
    )
    engine.execute("DROP TABLE IF EXISTS t")
    engine.execute(f"CREATE TABLE t ({names})")
    cells = ", ".join("unnest(?)" for _ in columns)
    values = [list(own) for own in zip(*rows, strict=True)]
    engine.execute(f"INSERT INTO t SELECT {cells}", values)


def applied(policy: Policy, table: Path) -> tuple[list[str], Counter[tuple[object, ...]]]:
    """Columns and rows of the release that `roadstead apply` makes."""
    with roadstead.read(table) as source:
        draft = roadstead.apply(policy, source).draft
        made = released_batches(source, policy, draft.generalized, mask=draft.masks).read_all()
        return made.column_names, Counter(tuple(row.values()) for row in made.to_pylist())


@unhurried
@example(rule=Bands(Decimal(2)), values=["4", "5", "6"])
@given(rule=RULES, values=st.lists(VALUES | LABELS, min_size=1, max_size=25, unique=True))
def test_each_label_is_that_of_the_rule(
    engine: duckdb.DuckDBPyConnection, rule: Rule, values: list[str]
) -> None:
    """Each value occurs twice, so its group is large enough; uncovered values are left out.

    SQL may not read odd spellings of numbers and dates; it must read plain ones.
    """
    values = [value for value in values if "\x00" not in value]
    filled(engine, ("v", "at"), [(v, str(i)) for i, v in enumerate(values) for _ in range(2)])
    policy = policy_of({"v": rule}, others=["at"])
    found = engine.execute(release_statement(said(policy, suppress_unseen=True))).fetchall()
    labels = {values[int(at)]: label or "" for label, at in found}
    wanted = {value: label for value in values if (label := rule.label(value)) is not None}
    assert labels == {value: wanted[value] for value in labels}
    assert all(_is_odd(value, rule) for value in wanted.keys() - labels.keys())


@pytest.mark.quick(2)
@pytest.mark.parametrize("rule", written_numbers_in_sql.RULES, ids=repr)
def test_open_ends_and_units_are_read_like_the_rule(
    engine: duckdb.DuckDBPyConnection, rule: Bands | Cuts
) -> None:
    """Fault class: a policy for ages with units was not released where the table is."""
    filled(engine, ("v", "at"), written_numbers_in_sql.rows())
    statement = release_statement(said(policy_of({"v": rule}, others=["at"]), suppress_unseen=True))
    found = engine.execute(statement).fetchall()
    written_numbers_in_sql.require_same(rule, written_numbers_in_sql.labels_of(found))


@pytest.mark.nightly
def test_postgresql_reads_open_ends_and_units(postgres: Server) -> None:
    """As DuckDB does."""
    postgres.load("t", ("v", "at"), written_numbers_in_sql.rows())
    for rule in written_numbers_in_sql.RULES:
        policy = policy_of({"v": rule}, others=["at"])
        sql = release_statement(said(policy, dialect="postgres", suppress_unseen=True))
        labels = written_numbers_in_sql.labels_of(postgres.run(sql))
        written_numbers_in_sql.require_same(rule, labels)


def test_postgresql_finds_the_same_labels(postgres: Server) -> None:
    """Whatever its settings say of dates; every kind of rule, many values."""

    @sparing
    @given(rule=RULES, values=st.lists(VALUES | LABELS, min_size=1, max_size=25, unique=True))
    def check(rule: Rule, values: list[str]) -> None:
        rows = [(v, str(i)) for i, v in enumerate(values) for _ in range(2)]
        postgres.load("t", ("v", "at"), rows)
        policy = policy_of({"v": rule}, others=["at"])
        sql = said(policy, dialect="postgres", suppress_unseen=True)
        labels = {
            values[int(at)]: label or "" for label, at in postgres.run(release_statement(sql))
        }
        wanted = {value: label for value in values if (label := rule.label(value)) is not None}
        assert labels == {value: wanted[value] for value in labels}
        assert all(_is_odd(value, rule) for value in wanted.keys() - labels.keys())

    check()


@pytest.mark.nightly
def test_postgresql_makes_the_release_of_the_cohort(postgres: Server, tmp_path: Path) -> None:
    """Records and counts are the same as from apply."""
    table = tmp_path / "patients.csv"
    write_cohort(table, patients=2_000, seed=12)
    quasi = ["birth_date", "sex", "zip", "length_of_stay"]
    made = roadstead.anonymize(table, quasi=quasi, identifiers=IDENTIFYING, k=5)
    head, *records = read_csv(table)
    postgres.load("patients", head, [[cell or None for cell in row] for row in records])
    found = postgres.run(as_sql(made.policy, table, dialect="postgres"))
    assert Counter(found) == applied(made.policy, table)[1]
    (checked,) = postgres.run(as_sql(made.policy, table, dialect="postgres", check=True))
    assert (checked[0], checked[2], checked[5]) == (2_000, made.suppressed, "released")


def _is_odd(value: str, rule: Rule) -> bool:
    """Whether a value is one that SQL need not read."""
    if isinstance(rule, Bands | Cuts):
        plain = value.removeprefix("-")
        digits = plain.replace(".", "", 1)
        places = len(plain.partition(".")[2])
        return not digits.isdecimal() or plain.endswith(".") or len(value) > 18 or places > 9
    usual = value.isascii() and value.strip() == value and ":" not in value and "Z" not in value
    return isinstance(rule, Calendar) and not usual


NAMES = st.sampled_from(["select", "age", "AGE_shape", "class_size", "records", "t", *HOSTILE]) | (
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=6)
)


@sparing
@given(
    names=st.lists(NAMES, min_size=3, max_size=3, unique_by=str.casefold),
    rule=RULES,
    label=LABELS,
    dialect=st.sampled_from(DIALECTS),
)
def test_hostile_names_and_labels_stay_names_and_labels_in_every_dialect(
    names: list[str], rule: Rule, label: str, dialect: str
) -> None:
    """Read back, the statement has the same names and texts, is one, and comes out the same."""
    groups = Groups(((label, (label, "x")),))
    policy = policy_of({names[0]: rule, names[1]: groups}, others=[names[2]])
    text = release_statement(said(policy, "a b", names[0], dialect=dialect))
    (tree,) = sqlglot.parse(text, read=dialect)
    assert isinstance(tree, exp.Select)
    assert tree.named_selects == names
    assert label in {one.this for one in tree.find_all(exp.Literal) if one.is_string}
    steps = {cte.alias for cte in tree.ctes}
    tables = [table for table in tree.find_all(exp.Table) if table.name not in steps]
    assert [(one.db, one.name) for one in tables] == [("a b", names[0])]
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("--"))
    again = sqlglot.parse_one(bare, read=dialect).sql(dialect=dialect, pretty=True)
    assert again.split() == bare.split()


@sparing
@given(names=st.lists(NAMES, min_size=2, max_size=2, unique_by=str.casefold))
def test_names_of_steps_never_meet_names_of_columns(
    engine: duckdb.DuckDBPyConnection, names: list[str]
) -> None:
    """The statement runs whatever the columns are called."""
    filled(engine, names, [("47", "x"), ("48", "y"), ("51", "z")])
    policy = policy_of({names[0]: Bands(Decimal(5))}, others=[names[1]])
    rows = engine.execute(release_statement(said(policy))).fetchall()
    assert rows == [("45-49", "x"), ("45-49", "y")]
    assert engine.execute(check_statement(said(policy))).fetchall() == [(3, 0, 1, 0, 2, "released")]


@pytest.mark.parametrize("step", ["generalized", "totals", "Released", "columns_as_text"])
def test_a_table_may_be_called_like_a_step(engine: duckdb.DuckDBPyConnection, step: str) -> None:
    """The steps give way."""
    engine.execute(f"CREATE TABLE {step} (v TEXT)")
    engine.execute(f"INSERT INTO {step} VALUES ('a'), ('a'), ('a')")  # noqa: S608 - own text
    policy = policy_of({"v": Identity()})
    assert engine.execute(release_statement(said(policy, step))).fetchall() == [("a",)] * 3
    engine.execute(f"DROP TABLE {step}")


ROWS = st.lists(st.sampled_from(["1", "2", "3", "x", ""]), min_size=1, max_size=30)


@sparing
@given(
    values=ROWS,
    limit=st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.3, 1 / 3, 0.5, 1.0]),
    records=st.sampled_from(BOTH),
    suppress=st.booleans(),
)
def test_rows_come_out_exactly_where_apply_makes_a_release(
    engine: duckdb.DuckDBPyConnection,
    values: list[str],
    limit: float,
    records: SuppressedRecords,
    suppress: bool,  # noqa: FBT001 - drawn
) -> None:
    """Both limits, and too few masked records; the check says why there are no rows."""
    filled(engine, ("v",), [(value or None,) for value in values])
    policy = policy_of({"v": Bands(Decimal(1))}, limit=limit, records=records)
    sql = said(policy, suppress_unseen=suppress)
    counts = Counter(values)
    kept = {v: n for v, n in counts.items() if v != "x" and n >= 2}
    out = len(values) - sum(kept.values())
    wanted = Counter({v or None: n for v, n in kept.items()})
    if records == "mask" and out >= 2:
        wanted["*"] = out
    refused = (counts["x"] and not suppress) or out > policy.suppression.most(len(values))
    found = engine.execute(release_statement(sql)).fetchall()
    assert Counter(v for (v,) in found) == (Counter() if refused else wanted)
    checked = engine.execute(check_statement(sql)).fetchone()
    assert checked is not None
    assert checked[:5] == (
        len(values),
        counts["x"],
        out,
        wanted["*"],
        min(kept.values(), default=None),
    )
    assert (checked[5] == "released") == (not refused)


def test_the_cohort_comes_out_as_apply_makes_it(
    engine: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """Records, columns and their order; several policies, so several kinds of rules."""
    table = tmp_path / "patients.csv"
    write_cohort(table, patients=4_000, seed=11)
    quasi = ["birth_date", "sex", "race", "zip"]
    engine.execute(
        "CREATE OR REPLACE TABLE patients AS FROM read_csv(?, all_varchar=true)", [str(table)]
    )
    for suppression in (0.01, 0.1, 0.5):
        policy = roadstead.anonymize(
            table, quasi=quasi, identifiers=IDENTIFYING, k=5, suppression=suppression
        ).policy
        found = engine.execute(as_sql(policy, table))
        columns = [name for name, *_ in found.description]
        assert (columns, Counter(found.fetchall())) == applied(policy, table)


@pytest.mark.nightly
def test_adult_comes_out_as_apply_makes_it(
    engine: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    """Hierarchies from files become lists of groups."""
    table = data_dir / "adult" / "adult.csv"
    quasi = ["sex", "age", "race", "marital-status", "education"]
    levels = data_dir / "adult" / "hierarchies"
    policy = roadstead.anonymize(table, quasi=quasi, hierarchies=levels).policy
    engine.execute(
        "CREATE OR REPLACE TABLE adult AS FROM read_csv(?, all_varchar=true, delim=';')",
        [str(table)],
    )
    found = engine.execute(as_sql(policy, table)).fetchall()
    assert Counter(found) == applied(policy, table)[1]


def test_typed_columns_read_as_they_do_in_apply(
    engine: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """Whole floating-point numbers without a point, midnights without a time."""
    file = tmp_path / "typed.parquet"
    engine.execute(
        "CREATE OR REPLACE TABLE typed AS SELECT"
        " CASE WHEN i % 5 > 0 THEN (i % 5) / 2 END::DOUBLE AS f,"
        " TIMESTAMP '2024-01-01' + to_hours(12 * (i % 3)::INT) AS w, DATE '2024-01-01' AS d,"
        " (i % 2)::DECIMAL(4, 2) AS n, i % 2 = 0 AS b FROM range(300) t(i)"
    )
    engine.execute(f"COPY typed TO '{file}' (FORMAT parquet)")
    policy = policy_of({name: Identity() for name in "fwdnb"})
    _, wanted = applied(policy, file)
    assert Counter(engine.execute(as_sql(policy, file)).fetchall()) == wanted
    assert (None, "2024-01-01", "2024-01-01", "0.00", "true") in wanted


@pytest.mark.quick(2)
@pytest.mark.parametrize("zone", ["Europe/Berlin", "+05:30"])
@pytest.mark.parametrize("session", ["UTC", "America/New_York"])
def test_times_with_a_zone_have_the_days_of_the_zone(zone: str, session: str) -> None:
    """Fault class: near midnight, the statement showed the days of the session's time zone."""
    times = [datetime(2020, month, 2, 0, 30, tzinfo=UTC) for month in (3, 7)] * 20 + [None] * 10
    seen = pa.array(times, pa.timestamp("us", "UTC")).cast(pa.timestamp("us", zone))
    table = pa.table({"sex": ["f", "m"] * 25, "seen": seen})
    found = roadstead.anonymize(table, quasi=["sex", "seen"], k=5)
    with duckdb.connect() as con:
        con.register("visits", table)
        con.execute(f"SET TimeZone = '{session}'")
        rows = con.sql(as_sql(found.policy, table, table="visits")).fetchall()
    assert Counter(rows) == Counter(tuple(row.values()) for row in found.to_arrow().to_pylist())
    if zone == "Europe/Berlin":
        assert f"AT TIME ZONE '{zone}'" in as_sql(
            found.policy, table, table="v", dialect="postgres"
        )
    else:  # PostgreSQL would invert the offset
        with pytest.raises(SourceError, match="column 'seen': the statement cannot convert"):
            as_sql(found.policy, table, table="v", dialect="postgres")


def test_times_whose_zone_cannot_be_written_are_refused_with_a_way_on() -> None:
    """Other engines convert times in other ways, and other rules read the offset as text."""
    seen = pa.array([datetime(2020, 3, 2, tzinfo=UTC)] * 20, pa.timestamp("us", "UTC"))
    table = pa.table({"seen": seen})
    for rule, dialect in ((Calendar("day"), "spark"), (Prefix(7, 10), "duckdb")):
        with pytest.raises(SourceError, match="make a view with a column of days"):
            as_sql(policy_of({"seen": rule}), table, table="v", dialect=dialect)


def test_a_model_that_is_not_of_sizes_is_refused_by_name() -> None:
    """Distinct values in a class are not its size."""
    policy = policy_of({"v": Identity()}, others=["s"])
    models = (KAnonymity(2), DistinctLDiversity("s", 3))
    with pytest.raises(PolicyError, match=r"SQL cannot express distinct 3-diversity of s"):
        SqlRelease(policy, models, ("t",), ("v", "s"), "duckdb")


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (Calendar("year", "%A %d %b %Y"), "%A %d %b %Y"),
        (Calendar("year", "%Y-%m"), "%Y-%m"),
        (Bands(Decimal("1e-10"), integer=False), "0.0000000001"),
        (Cuts((Decimal(10**15),)), "1000000000000000"),
        (Everything("a\x00"), "NUL"),
    ],
)
def test_what_sql_cannot_say_is_refused_with_the_attribute(rule: Rule, says: str) -> None:
    """Rather than said inexactly."""
    with pytest.raises(PolicyError) as caught:
        release_statement(said(policy_of({"when": rule})))
    assert says in caught.value.message
    assert "'when'" in caught.value.message


def test_the_header_cannot_be_left_by_a_name() -> None:
    """Every line before the statement is a comment."""
    name = "a\nDROP TABLE t;\u2028x\r-- y"
    text = release_statement(said(policy_of({name: Identity()}), "t\nDROP"))
    head = text[: text.index("WITH ")]
    assert "DROP TABLE t;" in head
    assert all(line.startswith("-- ") for line in head.splitlines())


def test_an_unknown_dialect_is_refused_with_those_known() -> None:
    """Engines that ignore case or trailing spaces among them."""
    with pytest.raises(SettingError, match="use one of duckdb, postgres"):
        said(policy_of({"v": Identity()}), dialect="mysql")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("t", ("t",)),
        ("s.t", ("s", "t")),
        ('c."s.1"."a""b"', ("c", "s.1", 'a"b')),
        ("next-month; DROP", ("next-month; DROP",)),
    ],
)
def test_a_table_is_named_by_its_parts(name: str, parts: tuple[str, ...]) -> None:
    """Quotes keep a dot."""
    assert table_parts(name) == parts


@pytest.mark.parametrize("name", ["", " ", ".", "a.", ".a", "a..b", 'a"b', '"a', "a.b.c.d", '""'])
def test_what_is_no_name_of_a_table_is_refused(name: str) -> None:
    """Rather than guessed."""
    with pytest.raises(SettingError, match="not a name of a table"):
        table_parts(name)


def test_without_a_table_the_columns_are_in_the_order_of_the_policy() -> None:
    """The policy is enough, if the table has a name."""
    policy = policy_of({"v": Identity(), "w": Identity()}, others=["z"])
    text = as_sql(policy, table="s.t", dialect="bigquery")
    (tree,) = sqlglot.parse(text, read="bigquery")
    assert isinstance(tree, exp.Select)
    assert tree.named_selects == ["v", "w", "z"]
    with pytest.raises(SettingError, match="table=NAME"):
        as_sql(policy)


def test_the_fingerprint_is_of_the_policy_file(tmp_path: Path) -> None:
    """So that sha256sum finds the same, in the statement too."""
    policy = policy_of({"v": Groups((("é", ("a", "b")),))})
    write_json(to_json(policy), tmp_path / "policy.json")
    written = hashlib.sha256((tmp_path / "policy.json").read_bytes()).hexdigest()
    assert policy_fingerprint(policy) == written
    assert written in as_sql(tmp_path / "policy.json", table="t")
    assert written in as_sql(policy, table="t", check=True)


def test_the_table_that_was_opened_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise, a transaction of a database stays open as long as an error is kept."""
    table = pa.table({"sex": ["f", "m"] * 5})
    policy = roadstead.anonymize(table, quasi=["sex"], k=5).policy
    closed: list[str] = []
    monkeypatch.setattr(Source, "close", lambda source: closed.append(source.name))
    assert "SELECT" in roadstead.as_sql(policy, table, table="t")
    assert len(closed) == 1
    with pytest.raises(SettingError):
        roadstead.as_sql(policy, table, table="t", dialect="none")
    assert len(closed) == 2
