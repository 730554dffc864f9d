"""Documents compared with their schemas, also for tests that run a command with ``--json``."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from roadstead.schemas.documents import schema


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name))


def fits(name: str, document: object) -> bool:
    """Whether a document is as its schema says."""
    fitting: bool = _validator(name).is_valid(document)
    return fitting


def require_fit(name: str, document: object) -> None:
    """Refuse a document that is not as its schema says, and say in what."""
    wrong = [place for error in _validator(name).iter_errors(document) for place in _leaves(error)]
    told = "\n".join(f"  {place}: {what}" for place, what in wrong[:12])
    assert not wrong, (
        f"the document {name!r} is not as its type in src/roadstead/schemas/documents.py says; "
        f"change the type with the document\n{told}"
    )


def _leaves(error: ValidationError) -> list[tuple[str, str]]:
    """Say what is wrong where no alternative fits, in each of them."""
    if error.context:
        return [leaf for one in error.context for leaf in _leaves(one)]
    return [(".".join(map(str, error.absolute_path)) or "the document", error.message[:200])]


def changed(document: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 - any JSON
    """Change a document in one place each: a key too many, a key less, a value of another kind."""
    if not isinstance(document, dict):
        return [("another kind", "planted")]
    made: list[tuple[str, Any]] = [("a key too many", {**document, "planted": 1})]
    for key, value in document.items():
        made.append((f"without {key}", {k: v for k, v in document.items() if k != key}))
        other = "planted" if isinstance(value, list | dict) else ["planted"]
        made.append((f"another {key}", {**document, key: other}))
    return made
