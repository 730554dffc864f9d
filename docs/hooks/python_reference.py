# noqa: INP001 - a hook of MkDocs, not a package
"""The Python reference: what `import roadstead` provides, from its docstrings.

The functions are made from the requests when they are imported, so mkdocstrings cannot read them in
the source. This hook writes them into a module that it can read. All other names come from
the source.
"""

from __future__ import annotations

import inspect
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority

import roadstead

MODULE = "roadstead_functions"
_FOLDER = Path(tempfile.mkdtemp(prefix="roadstead-reference-"))
_MARKS = ("functions", "results", "objects", "errors")


def _with_functions(config: Any) -> Any:  # noqa: ANN401 - MkDocs has no public type
    """Let mkdocstrings find the module with the functions, before it reads its settings."""
    text = "\n\n".join(map(_written, sorted(_functions())))
    (_FOLDER / f"{MODULE}.py").write_text(text, encoding="utf-8")
    handler = config.plugins["mkdocstrings"].config["handlers"]["python"]
    handler["paths"] = [*handler.get("paths", []), str(_FOLDER)]
    return config


on_config = event_priority(100)(_with_functions)
"""The hook of MkDocs, which runs before mkdocstrings reads its settings."""


def on_page_markdown(markdown: str, **_: object) -> str:
    """List the names of each kind where the page has its mark."""
    kinds = _kinds()
    for mark in _MARKS:
        listed = "\n\n".join(f"::: {name}" for name in kinds[mark])
        markdown = markdown.replace(f"[{mark}]", listed) if f"[{mark}]\n" in markdown else markdown
    return markdown


def _functions() -> dict[str, Any]:
    return {
        name: thing
        for name in roadstead.__all__
        if inspect.isfunction(thing := getattr(roadstead, name))
    }


def _kinds() -> dict[str, list[str]]:
    """Sort the exported names: functions, results, other objects, errors."""
    kinds: dict[str, list[str]] = {mark: [] for mark in _MARKS}
    kinds["functions"] = [f"{MODULE}.{name}" for name in sorted(_functions())]
    for name in roadstead.__all__:
        thing = getattr(roadstead, name)
        if not inspect.isclass(thing) or name.endswith("Request"):
            continue
        home = f"{thing.__module__}.{name}"
        if issubclass(thing, Exception):
            kinds["errors"].append(home)
        elif home.startswith("roadstead.verbs."):
            kinds["results"].append(home)
        else:
            kinds["objects"].append(home)
    return kinds


def _written(name: str) -> str:
    """Write a function as source: its parameters, defaults, and docstring."""
    function = _functions()[name]
    shown = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_default(parameter.default))
        for parameter in inspect.signature(function).parameters.values()
    ]
    signature = inspect.Signature(shown)
    return f"def {name}{signature}:\n    {inspect.getdoc(function)!r}\n"


class _Shown:
    """A default as the signature shows it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _default(value: object) -> object:
    """Keep a default that can be written as source, and show others as ``...``."""
    if value is inspect.Parameter.empty:
        return value
    plain = isinstance(value, (str, int, float, bool, type(None)))
    return value if plain or value in ((), [], {}) else _Shown("...")
