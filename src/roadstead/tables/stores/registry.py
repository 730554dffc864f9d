"""Which stores there are: the folders here, and those of other packages.

Another package adds a store with an entry point of the group ``roadstead.stores`` that names its
`Store`. Entry points are looked up when no store of our own fits, because that takes a while.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from roadstead.errors import SettingError
from roadstead.tables import stores

if TYPE_CHECKING:
    from collections.abc import Callable

    from roadstead.tables.stores.store import Store

GROUP = "roadstead.stores"


@functools.cache
def own_stores() -> tuple[Store, ...]:
    """Give the stores that have a folder here."""
    folders = sorted(one.name for one in pkgutil.iter_modules(stores.__path__) if one.ispkg)
    modules = (importlib.import_module(f"{stores.__name__}.{name}.store") for name in folders)
    return tuple(module.STORE for module in modules)


def all_stores() -> tuple[Store, ...]:
    """Give the stores of our own and those of other packages, which come last.

    Raises SettingError: a package declares a store that cannot be loaded.
    """
    return (*own_stores(), *_installed(tuple(sys.path)))


@functools.cache
def _installed(_where: tuple[str, ...]) -> tuple[Store, ...]:
    found = []
    for entry in entry_points(group=GROUP):
        try:
            found.append(entry.load())
        except Exception as error:
            raise SettingError(
                f"the store {entry.name} cannot be loaded ({type(error).__name__})",
                where=GROUP,
                fix="update or uninstall the package that declares it",
            ) from error
    return tuple(found)


def fallback() -> Store:
    """Give the store of databases that no other store claims."""
    return next(store for store in own_stores() if not store.backend)


def by_backend(name: str) -> Store:
    """Find the store of a backend of Ibis, by its name."""
    return _first(lambda store: store.backend == name)


def by_scheme(scheme: str) -> Store:
    """Find the store that a scheme of addresses belongs to."""
    return _first(lambda store: scheme in store.forms)


def by_frame(package: str) -> Store | None:
    """Find the store that opens the data frames of a package, if any."""
    found = _first(lambda store: store.frames == package)
    return found if found.frames == package else None


def _first(fits: Callable[[Store], bool]) -> Store:
    for stores_known in (own_stores, all_stores):
        for store in stores_known():
            if fits(store):
                return store
    return fallback()
