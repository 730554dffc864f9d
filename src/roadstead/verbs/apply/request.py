"""Define the request to apply a policy. The result is a release, or an SQL statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import COLUMNS, NUMBER, POLICY, SWITCH, TABLE, TEXT, choice
from roadstead.requests.groups import DATA, CodebookOption, ForcedColumns, People, Reading
from roadstead.requests.headings import Heading
from roadstead.requests.outputs import NewRelease
from roadstead.requests.persons import PseudonymKey

if TYPE_CHECKING:
    from roadstead.verbs.apply.result import Application  # noqa: F401 - in a text below


@request
class ApplyRequest(
    VerbRequest["Application"],
    ForcedColumns,
    PseudonymKey,
    People,
    NewRelease,
    Reading,
    CodebookOption,
):
    """Apply the policy of an earlier release to new data.

    Raises
    ------
    PolicyError
        When the policy cannot be read or does not cover a value. The error's `drift` describes what
        the policy would do to the table.
    RoleError
        When the table lacks a column that the policy releases. Also when a column looks like an
        identifier on the Safe Harbor list and is not in `release_anyway`.
    SettingError
        When a model of the policy requires a population and none is given.
    Refusal
        When more records would be suppressed than the limit allows. The error's `drift` gives the
        causes.
    """

    verb: ClassVar = "apply"
    example: ClassVar = "release/policy.json patients-june.csv {out=release-june}"
    policy: Any = option(
        "Policy of an earlier release: its file policy.json.",
        POLICY,
        kw_only=False,
        metavar="POLICY",
        says="Policy of an earlier release, the path of its file policy.json, or a result with a "
        "policy.",
    )
    data: Any = option(DATA, TABLE, default=None, kw_only=False)
    unchanged: Sequence[str] = option(
        "Columns to release unchanged although the policy does not list them.",
        COLUMNS,
        default=(),
        heading=Heading.COLUMNS,
        common=("apply",),
    )
    undecided: Literal["withhold", "refuse"] = option(
        "Columns that the policy does not list: leave them out (withhold), or stop "
        "with an error (refuse).",
        choice("withhold", "refuse"),
        default="withhold",
        heading=Heading.COLUMNS,
        common=("apply",),
        metavar="WORD",
    )
    unseen: Literal["refuse", "suppress"] = option(
        "Values that the policy does not cover: stop with an error (refuse), or "
        "suppress their records (suppress).",
        choice("refuse", "suppress"),
        default="refuse",
        heading=Heading.PROTECTION,
        common=("apply",),
        metavar="WORD",
    )
    suppression: float | None = option(
        "Largest share of records to suppress in this release, 0 to 1.",
        NUMBER,
        default=None,
        heading=Heading.PROTECTION,
        common=("apply",),
        metavar="SHARE",
        usual="the limit of the policy",
        check=checks.suppression,
    )
    sql: bool = option(
        "Print the SQL statement that makes the release, and do not run it.",
        SWITCH,
        default=False,
        heading=Heading.SQL,
    )
    sql_check: bool = option(
        "Print the SQL statement that counts groups and suppressed records before a release.",
        SWITCH,
        default=False,
        heading=Heading.SQL,
    )
    dialect: str | None = option(
        "SQL dialect of the statement, for example postgres.",
        TEXT,
        default=None,
        heading=Heading.SQL,
        metavar="NAME",
        usual="duckdb",
    )
    table: str | None = option(
        "Name of the table in the SQL statement.",
        TEXT,
        default=None,
        heading=Heading.SQL,
        metavar="NAME",
        usual="the name of DATA",
    )
