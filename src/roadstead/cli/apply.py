"""The command ``apply``, which makes a release, or prints the SQL that makes it."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from roadstead.cli.into import documented, published, require_folder, require_place
from roadstead.cli.show import note, show, show_json, split
from roadstead.errors import OutputError, SettingError
from roadstead.release.certificate import files_of
from roadstead.release.staging import check_output
from roadstead.tables.sources import read
from roadstead.verbs.apply import apply as run
from roadstead.verbs.as_sql import as_sql


@dataclass(frozen=True)
class SqlWanted:
    """What is asked for in SQL: a statement that makes the release, or one that counts.

    Attributes
    ----------
    release, check
        Whether the one or the other is asked for.
    dialect, table
        The engine, and the table's name there.
    """

    release: bool
    check: bool
    dialect: str | None
    table: str | None


def apply(  # noqa: PLR0913 - what the command takes
    policy: Path,
    data: str | None,
    reading: tuple[str | None, str | None, bool | None, list[str] | None],
    people: tuple[str | None, str | None],
    places: tuple[Path | None, str | None],
    *,
    unseen: str,
    release: list[str] | None,
    force: bool,
    as_json: bool,
) -> int:
    """Run the command."""
    if data is None:
        raise SettingError(
            "there is no table to apply the policy to",
            where="DATA",
            mend="name one, or print the policy as SQL with --sql --table NAME",
        )
    out, into = places
    require_folder(into, out)
    if out is not None:
        check_output(out, force=force, own=files_of)
    delimiter, encoding, header, missing = reading
    with read(
        data, delimiter=delimiter, encoding=encoding, header=header, missing=missing or ()
    ) as source:
        require_place(into, source, force=force)
        result = run(
            policy,
            source,
            unseen=cast("Literal['refuse', 'suppress']", unseen),
            population=people[0],
            population_counts=people[1],
            release=split(release),
        )
        lines, document = str(result).splitlines(), result.to_dict()
        if out is not None:
            verification = result.write(out, into=into, force=force)
            document |= {**documented(out, into), "verified": verification.passed}
            lines.append(published(out, into, verification))
    if as_json:
        show_json(document)
        return 0
    show(lines)
    if out is None:
        note("Nothing was written; give --out DIR to write the release.")
    return 0


def print_sql(
    policy: Path,
    data: str | None,
    reading: tuple[str | None, str | None, bool | None, list[str] | None],
    wanted: SqlWanted,
    *,
    unseen: str,
    as_json: bool,
) -> int:
    """Print a statement."""
    dialect = wanted.dialect or "duckdb"
    delimiter, encoding, header, missing = reading
    with contextlib.ExitStack() as held:
        source = data and held.enter_context(
            read(data, delimiter=delimiter, encoding=encoding, header=header, missing=missing or ())
        )
        text = as_sql(
            policy,
            source,
            dialect=dialect,
            table=wanted.table,
            unseen=cast("Literal['refuse', 'suppress']", unseen),
            check=wanted.check,
        )
    if as_json:
        show_json({"dialect": dialect, "sql": text})
        return 0
    _require_encodable(text)
    show([text.removesuffix("\n") + ";"])
    return 0


def require_sql_alone(wanted: SqlWanted, others: dict[str, bool]) -> None:
    """Refuse options that contradict each other.

    Raises
    ------
    SettingError
        When both statements are wanted, or options that belong to a release or to a statement
        come without it.
    """
    if wanted.release and wanted.check:
        raise SettingError("both exclude each other", where="--sql, --sql-check", mend="ask twice")
    if wanted.release or wanted.check:
        for option, given in others.items():
            if given:
                raise SettingError(
                    "a statement is printed, and nothing is written or counted",
                    where=option,
                    mend="leave it out, or --sql",
                )
        return
    for option, value in {"--dialect": wanted.dialect, "--table": wanted.table}.items():
        if value is not None:
            raise SettingError("belongs to --sql", where=option, mend="add --sql, or leave it out")


def _require_encodable(text: str) -> None:
    """Refuse to print escapes for letters, which would be another statement."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        raise OutputError(
            f"its encoding, {encoding}, lacks a character of the statement",
            where="standard output",
            mend="set PYTHONIOENCODING=utf-8, or ask for --json",
        ) from None
