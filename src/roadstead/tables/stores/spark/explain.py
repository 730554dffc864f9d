"""What the errors of Spark mean, told by the condition or the SQLSTATE that it puts on them."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from roadstead.tables.failures import is_full_disk
from roadstead.tables.stores.store import Explanations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.stores.store import Explanation

_DENIED = "42501"
_MISSING = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "42P01", "42704")
_OPENING: tuple[tuple[tuple[str, ...], Explanation], ...] = (
    (
        ("JAVA_GATEWAY_EXITED",),
        ("Java cannot start Spark", "Spark 4 needs Java 17 or newer; set JAVA_HOME"),
    ),
    (
        ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA", "DELTA_TABLE_NOT_FOUND"),
        ("there are no such files", "name a folder that every worker reads"),
    ),
    (
        ("DATA_SOURCE_NOT_FOUND", "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY"),
        ("this Spark does not know the format", "add its jar to the settings of Spark"),
    ),
    (
        ("COLUMN_ALREADY_EXISTS", "AMBIGUOUS_REFERENCE"),
        ("two columns differ only in case", "rename one of them"),
    ),
    (
        ("AccessControlException", "Permission denied"),
        ("you may not read it", "ask for the right to read it, or name another"),
    ),
    (
        ("UNAUTHENTICATED", "PERMISSION_DENIED"),
        (
            "the server wants a token, or refuses this one",
            "set SPARK_CONNECT_AUTHENTICATE_TOKEN",
        ),
    ),
    (
        ("UNAVAILABLE", "UNIMPLEMENTED", "SSL_ERROR"),
        (
            "no server of Spark Connect answers there",
            "check host, port and whether it wants ;use_ssl=true",
        ),
    ),
    (
        ("stopped SparkContext", "SparkContext was shut down", "SparkContext is null"),
        (
            "the cluster does not take this application",
            "check that its version of Spark is PySpark's",
        ),
    ),
)
"""What Spark's conditions, or fixed words in its messages, mean when a table is opened."""
_LOST = (
    "SparkContext was shut down",
    "stopped SparkContext",
    "StatusCode.UNAVAILABLE",
    "SESSION_CLOSED",
)
_FAILED = ("Job aborted", "STAGE_MATERIALIZATION_MULTIPLE_FAILURES", "ExecutorLostFailure")
_NO_RIGHT = ("you may not make a table there", "ask for the right to CREATE in its schema")
_WRITING: dict[str, Explanation] = {
    "TABLE_OR_VIEW_ALREADY_EXISTS": (
        "a table of this name was made meanwhile",
        "name another table, or give {force}",
    ),
    "SCHEMA_NOT_FOUND": ("there is no such schema", "create it first, or name another"),
    "CATALOG_NOT_FOUND": ("there is no such catalog", "check its name and Spark's settings"),
    "INSUFFICIENT_PERMISSIONS": _NO_RIGHT,
    "LOCATION_ALREADY_EXISTS": (
        "files lie where the table would",
        "remove them, or name another table",
    ),
    "NOT_SUPPORTED_COMMAND_WITHOUT_HIVE_SUPPORT": (
        "the default format of this Spark is Hive's, which it lacks",
        "set spark.sql.sources.default and spark.sql.legacy.createHiveTableByDefault=false",
    ),
    "INVALID_SCHEMA_OR_RELATION_NAME": (
        "the catalog of Spark takes no table of such a name",
        "name one of letters from a to z, digits and _",
    ),
}
ODD_NAME = _WRITING["INVALID_SCHEMA_OR_RELATION_NAME"]
_COLUMNS = ("INVALID_COLUMN_NAME", "COLUMN_ALREADY_EXISTS", "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")


def condition_of(error: Exception) -> tuple[str, str]:
    """Give the condition and the SQLSTATE of an error of Spark; empty texts if it has none.

    Both are words of Spark's own, never of the data.
    """
    found = []
    for name in ("getCondition", "getSqlState"):
        word = ""
        # Java is asked, and may be gone.
        with contextlib.suppress(Exception):
            word = getattr(error, name)() or ""
        found.append(word if re.fullmatch(r"[A-Z0-9_.]{1,100}", word) else "")
    return found[0], found[1]


def is_missing(error: Exception) -> bool:
    """Return whether an error says that there is no such table."""
    condition, state = condition_of(error)
    return state in _MISSING or condition.partition(".")[0] in _MISSING


def why_not_opened(error: Exception) -> Explanation:
    """Say why Spark cannot open a table."""
    condition, state = condition_of(error)
    if state == _DENIED:
        return "you may not read it", "ask for the right to SELECT, or name another user"
    if is_missing(error):
        return "there is no such table", "check its name and schema"
    text = str(error)
    for signs, explained in _OPENING:
        if condition.partition(".")[0] in signs or any(sign in text for sign in signs):
            return explained
    return (
        f"Spark cannot open it ({condition or type(error).__name__})",
        "check the address and Spark's settings",
    )


def why_not_written(error: Exception, columns: Sequence[str] = ()) -> Explanation:
    """Say why Spark cannot write a table with these columns."""
    condition, state = condition_of(error)
    head = condition.partition(".")[0]
    if head.startswith(_COLUMNS):
        odd = next((x for x in columns if set(x) & set(" ,;{}()\n\t=")), None)
        name = "" if odd is None else f" {odd!r}"
        return (
            f"this format takes no column{name} of such a name",
            "rename it in the source, without spaces and signs",
        )
    if head in _WRITING:
        return _WRITING[head]
    if state == _DENIED or "AccessControlException" in str(error):
        return _NO_RIGHT
    if is_full_disk(error):
        return "no space is left where Spark writes", "free some, or write elsewhere"
    return (
        f"Spark cannot write it ({condition or type(error).__name__})",
        "see Spark's own log; run it again if a worker was lost",
    )


def _reading(error: Exception) -> Explanation | None:
    (condition, state), text = condition_of(error), str(error)
    if {condition, state} & {"INSUFFICIENT_PERMISSIONS", _DENIED} or (
        "AccessControlException" in text
    ):
        return "you may not read all of it", "ask for the right to SELECT, or name another user"
    if any(sign in text for sign in _LOST):
        return (
            "the database has ended the connection",
            "run it again when the server lets a query and a transaction take that long",
        )
    if any(sign in text for sign in _FAILED):
        return (
            f"a job of Spark failed ({condition or type(error).__name__})",
            "see Spark's own log; run it again if a worker was lost",
        )
    if condition:
        return f"the engine cannot read it ({condition})", "see Spark's own log"
    return None


def _is_cancelled(error: Exception) -> bool:
    text = str(error)
    return condition_of(error)[0].startswith("OPERATION_CANCELED") or (
        "cancelled" in text and "Job" in text
    )


EXPLANATIONS = Explanations(reading=_reading, is_cancelled=_is_cancelled)
