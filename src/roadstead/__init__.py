"""Roadstead: share health data beyond Safe Harbor, and prove how safe that is.

::

    import roadstead as rs

    result = rs.anonymize("patients.csv", quasi=["age", "sex", "race", "zip"], k=5)
    print(result)
    result.write("release")

Names are imported when they are first used. So ``import roadstead`` is fast. The stub next to this
file, ``__init__.pyi``, lists the names for type checkers and for this module.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

TYPE_CHECKING = False  # so that signals work before `typing` is imported

if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"


def _listed() -> dict[str, str]:
    """Read the module of each exported name from the stub, one import per line."""
    loader = __spec__.loader
    stub = loader.get_data(f"{__path__[0]}/__init__.pyi").decode()
    lines = (line.split() for line in stub.splitlines() if line.startswith("from "))
    return {words[-1]: words[1] for words in lines}


def _is_here(name: str) -> bool:
    """Return whether the module of a name was not taken out of the package."""
    place = "/".join(_HOMES[name].split(".")[1:])
    return os.path.exists(f"{__path__[0]}/{place}.py")  # noqa: PTH110 - pathlib is slow to import


_HOMES = _listed()


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is exported
    if name == "__all__":
        return sorted(filter(_is_here, _HOMES))
    if name not in _HOMES or not _is_here(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - as all that is not needed at once

    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __getattr__("__all__")  # type: ignore[no-any-return] # the list above


class _Top(ModuleType):
    """A module in which an exported name is never hidden by a subpackage of the same name.

    When Python imports a package, it makes the package an attribute of its parent. So the package
    `roadstead.risk` would hide the function `risk`.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Top
