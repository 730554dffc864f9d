"""The command ``apply``, which makes a release, or prints the SQL that makes it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from roadstead.cli.into import documented, published, require_folder, require_place
from roadstead.cli.show import note, show, show_json, show_statement
from roadstead.errors import RoadsteadError, SettingError
from roadstead.release.certificate import files_of
from roadstead.release.staging import check_output
from roadstead.tables.reading import read
from roadstead.verbs.apply.as_sql import as_sql
from roadstead.verbs.apply.drift import Drift
from roadstead.verbs.apply.run import apply as run


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


def apply(
    policy: Path,
    data: str | None,
    reading: tuple[str | None, str | None, bool | None, list[str] | None],
    settings: Mapping[str, Any],
    places: tuple[Path | None, str | None],
    *,
    force: bool,
    as_json: bool,
) -> int:
    """Run the command; where the policy does not suit the table, what drifted is shown."""
    if data is None:
        raise SettingError(
            "there is no table to apply the policy to",
            where="DATA",
            fix="name one, or print the policy as SQL with --sql --table NAME",
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
        try:
            result = run(policy, source, **settings)
        except RoadsteadError as error:
            if error.drift is not None:
                _show_drift(error.drift, as_json=as_json)
            raise
        lines, document = str(result).split("\n"), result.to_dict()
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


def _show_drift(drift: Drift, *, as_json: bool) -> None:
    if as_json:
        show_json({"refused": True, "drift": drift.to_dict()})
    else:
        show(str(drift).splitlines())


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
    show_statement(text.removesuffix("\n") + ";")
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
        raise SettingError("both exclude each other", where="--sql, --sql-check", fix="ask twice")
    if wanted.release or wanted.check:
        for option, given in others.items():
            if given:
                raise SettingError(
                    "a statement is printed, and nothing is written or counted",
                    where=option,
                    fix="leave it out, or --sql",
                )
        return
    for option, value in {"--dialect": wanted.dialect, "--table": wanted.table}.items():
        if value is not None:
            raise SettingError("belongs to --sql", where=option, fix="add --sql, or leave it out")
