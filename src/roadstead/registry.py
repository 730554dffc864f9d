"""What can be asked for by name: the models of this package, and those that others add.

A folder of this package holds one model a file, and the file is named as the model is. So a new
model is a file there and its test, and nothing has a list to be kept up to date. Another package
offers a model as an entry point of the registry's group, named as the model is; a name of this
package cannot be taken by another one.

Names are known without importing anything. A model is imported when it is asked for, and no other
package's is for any other reason: what somebody installed for one request runs in no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from roadstead.errors import SettingError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Plugin:
    """What another package offers: its name here, that package and its version."""

    name: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} of the package {self.package} {self.version}"


class Registry(Mapping[str, type[Any]]):
    """Classes by name.

    `folder` is the dotted name of the package that has the files, `attribute` what a class calls
    its name, `group` the entry points of other packages, and `default` the name listed first.
    """

    def __init__(self, folder: str, attribute: str, group: str, default: str) -> None:
        self._folder = folder
        self._attribute = attribute
        self._group = group
        self._default = default
        self._loaded: dict[str, type[Any]] = {}

    @cached_property
    def own(self) -> tuple[str, ...]:
        """Names of this package alone."""
        place = Path(__file__).parent.joinpath(*self._folder.split(".")[1:])
        names = [module.name.replace("_", "-") for module in iter_modules([str(place)])]
        return tuple(sorted(names, key=lambda name: (name != self._default, name)))

    @cached_property
    def _offered(self) -> dict[str, EntryPoint]:
        from importlib.metadata import entry_points  # noqa: PLC0415 - heavy, and seldom needed

        offers = sorted(entry_points(group=self._group), key=lambda offer: offer.name)
        return {offer.name: offer for offer in offers if offer.name not in self.own}

    def __iter__(self) -> Iterator[str]:
        return iter((*self.own, *self._offered))

    def __len__(self) -> int:
        return len(self.own) + len(self._offered)

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._offered

    def __getitem__(self, name: str) -> type[Any]:
        if name not in self._loaded:
            if name in self.own:
                self._loaded[name] = self._class_of(name)
            else:
                self._loaded[name] = _load(self._offered[name])
        return self._loaded[name]

    def plugin(self, name: str) -> Plugin | None:
        """Say which package offers a name; None if this one does, or none. Nothing is imported."""
        return (
            None
            if name in self.own or name not in self._offered
            else plugin_of(self._offered[name])
        )

    def _class_of(self, name: str) -> type[Any]:
        module = import_module(f"{self._folder}.{name.replace('-', '_')}")
        for found in vars(module).values():
            if isinstance(found, type) and getattr(found, self._attribute, None) == name:
                return found
        raise LookupError(f"{module.__name__} has no class whose {self._attribute} is {name!r}")


def plugin_of(offer: EntryPoint) -> Plugin:
    """Say which package offers something, and its version."""
    if offer.dist is None:
        return Plugin(offer.name, offer.module.partition(".")[0], "unknown")
    return Plugin(offer.name, offer.dist.name, offer.dist.version)


def _load(offer: EntryPoint) -> type[Any]:
    """Import what another package offers, unless it cannot be imported or is no class."""
    package = offer.dist.name if offer.dist is not None else offer.module
    try:
        found = offer.load()
    except (ImportError, AttributeError) as error:
        raise SettingError(
            f"{offer.name!r} of the package {package} cannot be loaded ({type(error).__name__})",
            fix=f"install {package} again, or remove it",
        ) from None
    if not isinstance(found, type):
        raise SettingError(
            f"{offer.name!r} of the package {package} is no class", fix=f"remove {package}"
        )
    return found
