"""A sink for an address: the place where one new table appears, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import OutputError, SourceError
from roadstead.front_end import option
from roadstead.tables.addresses import locate
from roadstead.tables.locations import (
    CdmLocation,
    DuckdbLocation,
    FileLocation,
    OtherLocation,
    PostgresLocation,
    SparkLocation,
)

if TYPE_CHECKING:
    from roadstead.tables.databases.workbench import Sink
    from roadstead.tables.locations import Location
    from roadstead.tables.source import Source


def sink(target: str, source: Source, *, force: bool) -> Sink:
    """Open a sink; use it in a ``with`` statement.

    Parameters
    ----------
    target
        The address of the table that is to be made, as :mod:`roadstead.tables.addresses` has them.
    source
        The table that the release is made of. Where its engine can, it writes the release itself.
    force
        Replace a table of this name, in the same step that puts the new one there; what others were
        granted on it goes with it. A view, a table that others depend on, and the source itself are
        never replaced.

    Returns
    -------
    Sink
        Nothing is written before it is staged.

    Raises
    ------
    OutputError
        The table exists and `force` is not given, there is no such database or schema, it cannot be
        reached, the right to make tables is missing, or the address names no table.
    MissingExtraError
        A kind of database needs something that is not installed.
    """
    try:
        return _sink(locate(target), source, force=force)
    except SourceError as error:  # as it would be for a table that is read
        raise OutputError(error.what, where=error.where, fix=error.fix) from None


def _sink(location: Location, source: Source, *, force: bool) -> Sink:
    match location:
        case FileLocation():
            raise OutputError(
                "is a file, and no table of a database",
                where=location.path.name,
                fix=f"leave {option('into')} out: the release is written to the folder of "
                f"{option('out')}",
            )
        case DuckdbLocation():
            from roadstead.tables.databases.duckdb_sink import (  # noqa: PLC0415 - seldom used
                DuckdbSink,
            )

            return DuckdbSink(location, source, force=force)
        case PostgresLocation():
            from roadstead.tables.databases.postgres_sink import (  # noqa: PLC0415 - seldom used
                PostgresSink,
            )

            return PostgresSink(location, source, force=force)
        case OtherLocation():
            from roadstead.tables.databases.other_sink import (  # noqa: PLC0415 - seldom used
                OtherSink,
            )

            return OtherSink(location, source, force=force)
        case SparkLocation():
            from roadstead.tables.databases.spark_sink import (  # noqa: PLC0415 - seldom used
                spark_sink,
            )

            return spark_sink(location, source, force=force)
        case CdmLocation():
            raise OutputError(
                "the address names a whole data model, and not one table",
                where=option("into"),
                fix="name a table of its database, without what says that it is a data model",
            )
