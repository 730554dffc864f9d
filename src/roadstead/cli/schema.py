"""Run the command ``schema``, which prints the JSON Schema of a document or lists the documents."""

from __future__ import annotations

from roadstead.cli.show import show, show_json
from roadstead.schemas.documents import schema, schema_names


def show_schema(name: str | None) -> int:
    """Run the command ``schema``."""
    if name is None:
        show(schema_names())
    else:
        show_json(schema(name))
    return 0
