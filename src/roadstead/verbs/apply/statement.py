"""Print a policy as an SQL statement, without writing files or counting records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import SettingError
from roadstead.front_end import option, worded
from roadstead.jobs import Delivery, Observer
from roadstead.registry import required
from roadstead.requests.checks import wrong
from roadstead.requests.fields import set_fields
from roadstead.verbs.opening import opened

if TYPE_CHECKING:
    from roadstead.verbs.apply.request import ApplyRequest


_OF_A_RELEASE = (
    "out",
    "into",
    "suppression",
    "population",
    "population_counts",
    "release_anyway",
    "key",
    "force",
    "ledger",
    "ledger_people",
    "ledger_warn",
    "verifier",
)
"""Options that do not apply to an SQL statement."""


def statement_of(request: ApplyRequest, observer: Observer) -> Delivery[str]:
    """Return the policy as an SQL statement that can be printed."""
    dialect = request.dialect or "duckdb"
    as_sql = required("SQL statements of policies", "verbs.apply.as_sql:as_sql")
    text = as_sql(
        request.policy,
        None if request.data is None else opened(request.data, request, observer, quietly=True),
        dialect=dialect,
        table=request.table,
        unseen=request.unseen,
        check=request.sql_check,
        unchanged=request.unchanged,
    )
    observer.finished()
    document = {"dialect": dialect, "sql": text}
    return Delivery(text, (), document, statement=text.removesuffix("\n") + ";")


def require_sql_alone(request: ApplyRequest) -> None:
    """Reject options that do not apply to SQL, and a request for both SQL statements."""
    given = set_fields(request).keys()
    if request.sql and request.sql_check:
        raise SettingError(
            "these two options cannot be combined",
            where=f"{option('sql')}, {option('sql_check')}",
            fix="run the command twice",
        )
    if request.sql or request.sql_check:
        for key in _OF_A_RELEASE:
            if key in given:
                fix = f"leave this setting out, or leave {option('sql')} out"
                raise wrong(
                    key,
                    "this command only prints a statement; it does not write or count anything",
                    fix,
                )
        return
    for key in ("dialect", "table"):
        if key in given:
            raise wrong(
                key,
                f"this setting works only with {option('sql')}",
                f"add {option('sql')}, or leave this setting out",
            )
    if request.data is None:
        raise SettingError(
            "no table is named",
            where=worded(command="DATA", python="data"),
            fix="give the table to apply the policy to"
            + worded(
                command=f", or print the policy as SQL with {option('sql', value=True)} "
                f"{option('table', 'NAME')}",
                python="",
            ),
        )
