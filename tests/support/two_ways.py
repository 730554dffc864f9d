"""The same anonymization twice: with all combinations in memory, and by queries in the engine.

`released_alike` takes any source that can be anonymized, so tests can compare the tables of any
engine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from roadstead.verbs.anonymize.result import Anonymization
from roadstead.verbs.functions import anonymize

FEW = 100
"""Combinations that are held in memory where the engine is to be asked."""


def released_alike(data: Any, folder: Path, **request: Any) -> tuple[Anonymization, Anonymization]:  # noqa: ANN401 - whatever can be anonymized
    """Anonymize and write in both ways, and compare the written files.

    Parameters
    ----------
    data
        The table, in any engine.
    folder
        An empty folder.
    request
        The request to `anonymize`.
    """
    memory = anonymize(data, **request)
    engine = anonymize(data, **request, combinations=FEW)
    assert memory.outcome.queries == 0
    assert engine.outcome.queries > 0
    assert facts(memory) == facts(engine)
    for result, name in [(memory, "memory"), (engine, "engine")]:
        assert result.write(folder / name).passed
    written = sorted(path.name for path in (folder / "memory").iterdir())
    assert written == sorted(path.name for path in (folder / "engine").iterdir())
    for name in written:
        if name not in {"certificate.json", "report.html"}:
            ours, theirs = folder / "engine" / name, folder / "memory" / name
            assert ours.read_bytes() == theirs.read_bytes(), name
    assert _certificate(folder / "engine") == _certificate(folder / "memory")
    return memory, engine


def facts(result: Anonymization) -> dict[str, Any]:
    """Give all results except how they were found, and how long that took."""
    left_out = {"queries", "seconds", "seconds_total"}
    return {name: value for name, value in result.to_dict().items() if name not in left_out}


def _certificate(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "certificate.json").read_text("utf-8"))
    kept = {name: document[name] for name in ("policy", "counts", "risk", "loss")}
    kept["table"] = document["table"]
    kept["search"] = {n: v for n, v in document["search"].items() if n != "queries"}
    return kept
