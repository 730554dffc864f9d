"""What the application of a policy is asked for: a release, or a statement in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import COLUMNS, FILE, NUMBER, SWITCH, TABLE, TEXT, choice
from roadstead.requests.groups import DATA, ForcedColumns, NewRelease, People, Reading
from roadstead.requests.persons import PseudonymKey

if TYPE_CHECKING:
    from roadstead.verbs.apply.result import Application  # noqa: F401 - in a text below


@request
class ApplyRequest(
    VerbRequest["Application"], ForcedColumns, PseudonymKey, People, NewRelease, Reading
):
    """Apply an existing policy to new data.

    Raises
    ------
    PolicyError
        When the policy cannot be read, or does not cover a value; then its `drift` tells what
        would become of the table.
    RoleError
        When the table lacks a column the policy releases, or one looks like an identifier that
        Safe Harbor removes and is not released by name.
    SettingError
        When a model of the policy needs a population and none is given.
    Refusal
        When more records would be suppressed than may be; its `drift` tells what is in the way.
    """

    verb: ClassVar = "apply"
    policy: Any = option(
        "A policy.json.",
        FILE,
        kw_only=False,
        metavar="POLICY",
        says="A policy, or the path of its document.",
    )
    data: Any = option(DATA, TABLE, default=None, kw_only=False, metavar="DATA")
    unchanged: Sequence[str] = option(
        "Columns to release that the policy does not list, or of which it records no decision.",
        COLUMNS,
        default=(),
        metavar="G",
        says="Columns to release unchanged that the policy does not list. Also columns that a "
        "policy of an earlier version lists as unchanged: it does not record who decided on "
        "them, so they are withheld until they are named.",
    )
    undecided: Literal["withhold", "refuse"] = option(
        "Columns that the policy does not list: withhold or refuse.",
        choice("withhold", "refuse"),
        default="withhold",
        usual="withhold",
    )
    unseen: Literal["refuse", "suppress"] = option(
        "Values the policy does not cover: refuse or suppress.",
        choice("refuse", "suppress"),
        default="refuse",
        usual="refuse",
    )
    suppression: float | None = option(
        "Largest share of records to suppress this time.",
        NUMBER,
        default=None,
        metavar="SHARE",
        usual="the policy's",
        check=checks.suppression,
    )
    sql: bool = option("Print the SQL statement that makes the release.", SWITCH, default=False)
    sql_check: bool = option("Print the one that counts what it would be.", SWITCH, default=False)
    dialect: str | None = option(
        "SQL of this engine.", TEXT, default=None, metavar="NAME", usual="duckdb"
    )
    table: str | None = option(
        "The table's name in SQL.", TEXT, default=None, metavar="NAME", usual="that of DATA"
    )
