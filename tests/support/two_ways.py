"""The same anonymization twice: with all combinations in memory, and by queries in the engine.

`released_alike` takes anything that can be anonymized, so tables of any engine can be held against
each other with it.
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
    """Anonymize and write both ways, and hold what was written against each other.

    Parameters
    ----------
    data
        The table, in whatever engine.
    folder
        An empty folder.
    request
        What is asked of `anonymize`.
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
    """Give all that was found but for how it was found, and how long that took."""
    left_out = {"queries", "seconds", "seconds_total"}
    return {name: value for name, value in result.to_dict().items() if name not in left_out}


def _certificate(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "certificate.json").read_text("utf-8"))
    kept = {name: document[name] for name in ("policy", "counts", "risk", "loss")}
    kept["table"] = document["table"]
    kept["search"] = {n: v for n, v in document["search"].items() if n != "queries"}
    return kept
