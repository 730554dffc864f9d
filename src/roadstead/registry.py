"""Find parts by name, both in this package and among the entry points of other packages.

A `Registry` lists the names without importing anything, and imports a part only when it is
requested. Other packages cannot override the names in this package. Some known names belong to
roadstead-reproductions, an optional distribution of the same project.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from roadstead.errors import MissingExtraError, SettingError
from roadstead.rooms import NOT_INSTALLED, has, part_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
REPRODUCTIONS = "roadstead-reproductions"
"""The distribution of published searches and experiments."""
INSTALL_REPRODUCTIONS = (
    f"pip install {REPRODUCTIONS}, or in a checkout of Roadstead: pip install ./reproductions"
)


@dataclass(frozen=True)
class Plugin:
    """A part from another package, with its name and the name and version of the package."""

    name: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} of the package {self.package} {self.version}"


class Registry(Mapping[str, T], Generic[T]):
    """The parts of one group of entry points, which are found by name.

    For each name, `built_in` has a function that imports the part from this package. `valid`
    returns the reason why a part from another package cannot be used, or None if the part can be
    used. `reproductions` lists the names that belong to roadstead-reproductions.
    """

    def __init__(
        self,
        group: str,
        built_in: Mapping[str, Callable[[], T]],
        valid: Callable[[str, object], str | None],
        reproductions: Collection[str] = (),
    ) -> None:
        self.group = group
        self._built_in = built_in
        self._valid = valid
        self._reproductions = reproductions
        self._loaded: dict[tuple[str, str], T] = {}

    @property
    def own(self) -> tuple[str, ...]:
        """Return the names of the parts in this package."""
        return tuple(self._built_in)

    @property
    def _offers(self) -> dict[str, EntryPoint]:
        strangers, known = {}, {}
        for offer in entry_points_of(self.group):
            if offer.name in self._reproductions:
                if _package_of(offer) == REPRODUCTIONS:
                    known[offer.name] = offer
            elif offer.name not in self._built_in:
                strangers[offer.name] = offer
        return {name: known[name] for name in self._reproductions if name in known} | strangers

    def __iter__(self) -> Iterator[str]:
        return iter((*self._built_in, *self._offers))

    def __len__(self) -> int:
        return len(self._built_in) + len(self._offers)

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._offers

    def __getitem__(self, name: str) -> T:
        offer = None if name in self._built_in else self._offers[name]
        key = (name, "" if offer is None else offer.value)
        if key not in self._loaded:
            made = self._built_in[name]() if offer is None else self._load(offer)
            self._loaded[key] = made
        return self._loaded[key]

    def require(self, name: str, *, where: str) -> None:
        """Raise an error with the installation command if a known part is not installed."""
        if name in self._reproductions and name not in self:
            what = f"{name!r} is not installed"
            raise MissingExtraError(what, where=where, fix=INSTALL_REPRODUCTIONS)

    def plugin(self, name: str) -> Plugin | None:
        """Return the other package that provides a name, or None. Nothing is imported."""
        offer = None if name in self._built_in else self._offers.get(name)
        return None if offer is None or name in self._reproductions else plugin_of(offer)

    def _load(self, offer: EntryPoint) -> T:
        """Import a part from another package. Reject a part that cannot be imported or used."""
        package = _package_of(offer)
        fix = f"update {package}, or remove it"
        try:
            loaded: Any = offer.load()
        except Exception as error:
            what = f"it cannot be loaded ({type(error).__name__})"
            raise SettingError(f"{offer.name!r} of {package}: {what}", fix=fix) from error
        if (why := self._valid(offer.name, loaded)) is not None:
            raise SettingError(f"{offer.name!r} of {package}: {why}", fix=fix)
        return loaded  # type: ignore[no-any-return]  # `valid` has looked at it


def classes_in(folder: str, attribute: str, group: str, default: str) -> Registry[type[Any]]:
    """Return a registry of the classes in a folder of this package. Each file defines one class.

    The `attribute` of a class equals the name of the file. So a new class is registered as soon as
    its file exists. The `default` is listed first.
    """
    place = Path(__file__).parent.joinpath(*folder.split(".")[1:])
    names = [module.name.replace("_", "-") for module in iter_modules([str(place)])]
    ordered = sorted(names, key=lambda name: (name != default, name))
    built_in = {name: partial(_class_of, folder, attribute, name) for name in ordered}
    return Registry(group, built_in, _why_no_class)


def imported(place: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Import and return the object to which ``module:attribute`` refers."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def required(room: str, place: str) -> Any:  # noqa: ANN401 - as above
    """Import and return a part of a room. If the room is missing, raise an error that names it."""
    if not has(room):
        raise MissingExtraError(f"{NOT_INSTALLED}: {room}", fix="install the complete package")
    return part_of(room, place)


def plugin_of(offer: EntryPoint) -> Plugin:
    """Return the package that declares an entry point, with its version."""
    version = "unknown" if offer.dist is None else offer.dist.version
    return Plugin(offer.name, _package_of(offer), version)


def entry_points_of(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group in installed packages, sorted by name.

    Nothing is imported.
    """
    return _entry_points_on(tuple(sys.path), group)


@cache
def _entry_points_on(path: tuple[str, ...], group: str) -> tuple[EntryPoint, ...]:
    found = _all_entry_points_on(path).select(group=group)
    return tuple(sorted(found, key=lambda offer: (offer.name, offer.value)))


@cache
def _all_entry_points_on(_: tuple[str, ...]) -> Any:  # noqa: ANN401 - its class depends on the Python version
    """Read the entry points of all packages, once per search path."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - heavy, and seldom needed

    return entry_points()


def _package_of(offer: EntryPoint) -> str:
    return offer.module.partition(".")[0] if offer.dist is None else offer.dist.name


def _why_no_class(_: str, loaded: object) -> str | None:
    return None if isinstance(loaded, type) else "it is not a class"


def _class_of(folder: str, attribute: str, name: str) -> type[Any]:
    module = import_module(f"{folder}.{name.replace('-', '_')}")
    for value in vars(module).values():
        if isinstance(value, type) and getattr(value, attribute, None) == name:
            return value
    raise LookupError(f"{module.__name__} has no class whose {attribute} is {name!r}")
