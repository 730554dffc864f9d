"""Read and write Arrow files, including Feather files of version 2, and read Arrow streams."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import SourceError
from roadstead.tables import arrow_tables
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.formats.format import Batches, FileFormat, Options

if TYPE_CHECKING:
    import pyarrow as pa

_FILE = b"ARROW1"


class ArrowFile(FileFormat):
    """A table in Arrow's format."""

    def read(self, path: Path, _: Options) -> Batches:
        """Read a file or a stream. Raises SourceError for types that the engine reads inexactly."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        try:
            with path.open("rb") as stream:
                if stream.read(len(_FILE)) == _FILE:
                    table = pa.ipc.open_file(str(path)).read_all()
                else:
                    stream.seek(0)
                    table = pa.ipc.open_stream(stream).read_all()
            table.validate(full=True)
            columns = table.schema.names
        except (pa.ArrowException, OSError, ValueError) as error:
            what = "the Arrow file is damaged or incomplete"
            raise SourceError(what, where=path.name, fix="get the file again") from error
        table = arrow_tables.exact_in_memory(
            table.rename_columns(columns).replace_schema_metadata()
        )
        return Batches(table.schema, iter(table.to_batches()), Codebook())

    def write(self, rows: pa.RecordBatchReader, path: Path, _: Codebook) -> None:
        """Write a file without metadata."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        schema = rows.schema.remove_metadata()
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            table = pa.Table.from_batches(list(rows), rows.schema).combine_chunks()
            for batch in table.replace_schema_metadata().to_batches(1 << 16):
                writer.write_batch(arrow_tables.cleared(batch))


ARROW = ArrowFile("Arrow", (".arrow", ".feather"), written_as="arrow", library="pyarrow")
