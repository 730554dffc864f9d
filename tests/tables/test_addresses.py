"""Texts that can name a table, and passwords that never get anywhere."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SourceError
from roadstead.tables.addresses import is_address, locate, shareable
from roadstead.tables.locations import FileLocation, TableName
from roadstead.tables.stores.duckdb.open import DuckdbLocation
from roadstead.tables.stores.other.open import OtherLocation
from roadstead.tables.stores.postgres.open import PostgresLocation
from roadstead.tables.stores.spark.open import SparkLocation

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1)
tables = st.builds(TableName, names, st.none() | names)
hosts = st.from_regex(r"[a-z][a-z0-9-]{0,8}(\.[a-z]{2,5})?", fullmatch=True) | st.sampled_from(
    ["10.0.0.1", "::1", "/var/run/Sockets"]
)
users = st.none() | names
options = st.lists(
    st.tuples(st.sampled_from(["sslmode", "connect_timeout", "service"]), names),
    unique_by=lambda one: one[0],
).map(lambda pairs: tuple(sorted(pairs)))


@pytest.mark.parametrize(
    "text",
    [
        "visits.csv",
        "C:\\data\\visits.csv",
        "C:/data/visits.csv",
        "C://data/visits.csv",
        "\\\\server\\share\\visits.csv",
        "postgresql:visits",
        "a:b.csv",
        "./duckdb://x?table=t",
        "data/2024 (final) #1?.csv",
        "user:password@host",
        "://",
        "1x://y",
    ],
)
def test_what_has_no_scheme_is_a_path(text: str) -> None:
    """Drives of Windows too, and whatever a file may be called."""
    assert not is_address(text)
    assert locate(text) == FileLocation(Path(text))
    assert shareable(text) == text


def test_a_path_is_a_path_whatever_it_looks_like() -> None:
    path = Path("postgresql://u:p@h/d?table=t")
    assert locate(path) == FileLocation(path)


def test_relative_paths_start_at_a_base_and_others_do_not() -> None:
    base = Path("project")
    assert locate("a.csv", base) == FileLocation(base / "a.csv")
    assert locate("/a.csv", base) == FileLocation(Path("/a.csv"))
    assert locate("file:///x/a%20b.csv", base) == FileLocation(Path("/x/a b.csv"))
    one = TableName("t")
    assert locate("duckdb://x/c.duckdb?table=t", base) == DuckdbLocation(
        one, base / "x" / "c.duckdb"
    )
    assert locate("duckdb:///x/c.duckdb?table=t", base) == DuckdbLocation(one, Path("/x/c.duckdb"))
    for text in ("duckdb://C:/x/c.duckdb?table=t", "duckdb:///C:/x/c.duckdb?table=t"):
        assert locate(text) == DuckdbLocation(one, Path("C:/x/c.duckdb"))


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("visits", TableName("visits")),
        ("care.visits", TableName("visits", "care")),
        ("Care.Visits", TableName("Visits", "Care")),
        ("a%20b.c+d", TableName("c+d", "a b")),
        ('"a.b"', TableName("a.b")),
        ('care."a.""b"""', TableName('a."b"', "care")),
        ("%22a.b%22.c", TableName("c", "a.b")),
    ],
)
def test_a_table_is_named_as_the_database_has_it(text: str, table: TableName) -> None:
    """A name with a dot is in double quotes."""
    for address in (f"duckdb://x.duckdb?table={text}", f"postgres://h/d?table={text}"):
        found = locate(address)
        assert isinstance(found, DuckdbLocation | PostgresLocation)
        assert found.table == table


def test_an_address_of_postgresql_is_taken_apart() -> None:
    found = locate("postgres://ann%40x@Db.Example.org:5433/cli%2Fnic?sslmode=require&table=a.b")
    assert found == PostgresLocation(
        TableName("b", "a"),
        "Db.Example.org",
        5433,
        "cli/nic",
        "ann@x",
        (("sslmode", "require"),),
    )
    assert "ann" not in repr(found)
    assert locate("postgresql:///clinic?table=t&host=/run/Pg&port=6000") == PostgresLocation(
        TableName("t"), "/run/Pg", 6000, "clinic"
    )


def test_any_other_scheme_is_kept_for_ibis() -> None:
    found = locate("mysql://ann@h:33/d?table=t&charset=utf8")
    assert found == OtherLocation(TableName("t"), "mysql", "h:33/d", "ann", (("charset", "utf8"),))
    assert isinstance(found, OtherLocation)
    assert found.connection == "mysql://ann@h:33/d?charset=utf8"
    assert shareable("mysql://ann@h:33/d?table=t") == "mysql://h:33/d?table=t"


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("spark://", None),
        ("spark://local", "local[*]"),
        ("spark://Master.example.org:7077", "spark://Master.example.org:7077"),
        ("spark://127.0.0.1:7077/", "spark://127.0.0.1:7077"),
        ("sc://h", "sc://h"),
        ("sc://h:15002", "sc://h:15002"),
        ("sc://h:15002/", "sc://h:15002"),
        ("sc://h:15002/;use_ssl=true", "sc://h:15002/;use_ssl=true"),
        ("sc://h:15002/;use_ssl=false", "sc://h:15002"),
    ],
)
def test_an_address_of_spark_names_a_master_or_a_server(text: str, server: str | None) -> None:
    """As Spark itself writes them; without one its environment says where it is."""
    for written, table in (
        ("visits", TableName("visits")),
        ("care.visits", TableName("visits", "care")),
        ("main.care.visits", TableName("visits", "care", "main")),
        ('main."a.b"."c""d"', TableName('c"d', "a.b", "main")),
    ):
        found = locate(f"{text}?table={quote(written)}")
        assert found == SparkLocation(table, server)
        assert isinstance(found, SparkLocation)
        assert (found.server or "").startswith("sc:") == text.startswith("sc")
        assert found.path is None
        assert locate(found.address) == found


@pytest.mark.parametrize("form", ["parquet", "orc", "delta"])
def test_spark_reads_folders_by_the_name_of_their_format(form: str) -> None:
    for path in ("/data/visits", "/data/visits.2024/x y", "s3a://bucket/visits"):
        found = locate(f'spark://?table={quote(form)}."{quote(path)}"')
        assert isinstance(found, SparkLocation)
        assert found.path == path
        assert found.called == path.rpartition("/")[2]
        assert locate(found.address) == found
    for table in ("parquet.visits", "care.visits", 'main.parquet."/data/visits"'):
        found = locate(f"spark://?table={quote(table)}")
        assert isinstance(found, SparkLocation)
        assert found.path is None


@thorough
@given(
    st.builds(
        PostgresLocation,
        tables,
        st.none() | hosts,
        st.none() | st.integers(0, 65535),
        st.none() | names,
        users,
        options,
    )
)
def test_the_address_of_a_location_names_it_without_its_user(location: PostgresLocation) -> None:
    """Whatever schemas, tables and databases are called."""
    found = locate(location.address)
    assert isinstance(found, PostgresLocation)
    assert found.user is None
    assert (found.table, found.host, found.port, found.dbname, found.options) == (
        location.table,
        location.host,
        location.port,
        location.dbname,
        location.options,
    )


@unhurried
@given(st.lists(names.filter(lambda x: x not in {".", ".."} and "/" not in x), min_size=1), tables)
def test_the_address_of_a_duckdb_file_names_it(parts: list[str], table: TableName) -> None:
    path = Path(*parts)
    assert locate(DuckdbLocation(table, path).address) == DuckdbLocation(table, path)
    absolute = Path("/", *parts)
    drive = len(parts) > 1 and len(parts[0]) == 2 and parts[0][1] == ":"
    if not drive:
        assert locate(DuckdbLocation(table, absolute).address) == DuckdbLocation(table, absolute)


SECRET = "Tr0ub4dor"  # noqa: S105 - of nobody


@thorough
@given(
    st.sampled_from(["postgresql", "postgres", "mysql", "snowflake", "spark", "sc"]),
    st.text("/?#@:%&=[] ab", max_size=6),
    st.text("/?#@:%&=[] ab", max_size=6),
)
def test_a_password_is_refused_and_never_repeated(scheme: str, left: str, right: str) -> None:
    """However it is written: with signs that end a host, a path or a query as well."""
    text = f"{scheme}://ann:{left}{SECRET}{right}@db.example.org/clinic?table=t"
    with pytest.raises(SourceError) as caught:
        locate(text)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "query",
    ["password=x", "PassWord=x", "sslpassword=x", "pwd=x", "token=x", "api_key=x", "pass%77ord=x"],
)
@pytest.mark.parametrize("scheme", ["postgresql", "mysql", "spark", "sc"])
def test_a_password_in_the_query_is_refused(scheme: str, query: str) -> None:
    with pytest.raises(SourceError, match="contains a password"):
        locate(f"{scheme}://h/d?table=t&{query}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "postgresql://u:p@h/d?table=t",
            "contains a password, which others could read; remove it",
        ),
        ("postgresql://u:@h/d?table=t", "contains a password"),
        ("postgresql://h/d", "does not name a table; write postgresql://host:5432/database?table="),
        ("postgresql://h/d?table=", "does not name a table"),
        ("postgresql://h/d?table=a&table=b", "names two tables"),
        ("postgresql://h/d?table=a.b.c", "does not name its table as NAME or SCHEMA.NAME"),
        ('postgresql://h/d?table="a', "does not name its table"),
        ("postgresql://h:x/d?table=a", "does not have the form of an address"),
        ("postgresql://h:99999/d?table=a", "does not have the form of an address"),
        ("postgresql://h,i/d?table=a", "names several hosts"),
        ("postgresql://h/d/e?table=a", "has a / after the name of the database"),
        ("postgresql://h/d?table=a#b", "contains a #"),
        ("postgresql://h/d?table=a&options=-c%20x", "has an unknown setting options"),
        ("postgresql://h/d?table=a&sslmode=x&sslmode=y", "repeats a setting"),
        ("postgresql://h/d?table=a\nb", "has a control character"),
        ("postgresql://[h/d?table=a", "does not have the form of an address"),
        ("spark://h:7077", "does not name a table; write spark://host:7077?table="),
        ("spark://h:7077?table=a.b.c.d", "does not name its table as NAME, SCHEMA.NAME or CATALOG"),
        ("spark://h?table=a", "does not name a port"),
        ("spark://h:1,i:2?table=a", "does not have the form of an address"),
        ("spark://h:7077/x?table=a", "has more text after the host"),
        (
            "spark://h:7077?table=a&spark.executor.memory=9g",
            "has a setting with a name other than table",
        ),
        ("spark://ann@h:7077?table=a", "names a user"),
        ("sc://?table=a", "does not name a host"),
        ("sc://h/x?table=a", "has more text after the host"),
        ("sc://h/;token=x?table=a", "contains a password, which others could read; remove it and "),
        ("sc://h/;user_id=x?table=a", "has an unknown setting"),
        ("sc://h/;use_ssl=maybe?table=a", "has an unknown setting"),
        ("duckdb://?table=a", "does not name a file"),
        ("duckdb://x.duckdb", "does not name a table; write duckdb:///path"),
        ("duckdb://x.duckdb?table=a&read_only=false", "has an unknown setting read_only"),
        ("mysql://h/d", "does not name a table; write mysql://...?table=NAME"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(text: str, says: str) -> None:
    with pytest.raises(SourceError) as caught:
        locate(text)
    scheme = text.partition("://")[0]
    assert str(caught.value).startswith(f"{scheme}://: the address {says}")


def test_what_is_no_word_is_not_repeated_as_a_setting() -> None:
    """It may be a part of a secret."""
    with pytest.raises(SourceError) as caught:
        locate(f"postgresql://h/d?table=t&{quote('x y!')}{SECRET}=1")
    assert SECRET not in str(caught.value)
