"""Which kind of release a folder has, and what every kind answers.

A kind is a class in a file of `roadstead.release.kinds`, made of a folder. Whoever has to do with
releases asks it, and nobody asks which kind it is. The certificate names the kind by its mark, a
key of its own. Another package brings a kind as an entry point of the group
`roadstead.release_kinds`; its mark is ``roadstead_`` and the name of the entry point. A certificate
may come from a stranger, so such a package is loaded only if its reader allows it.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from roadstead.errors import SettingError, VerificationError
from roadstead.front_end import option
from roadstead.printable import named
from roadstead.registry import classes_in
from roadstead.regular_files import content_of
from roadstead.release.certificate import CERTIFICATE, TableFingerprint, unchanged_files
from roadstead.release.documents import Fingerprint, fingerprint
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.facts import CertifiedFigure, ReleaseFacts, Unknown
from roadstead.release.shown import ShownRelease
from roadstead.release.verification.checks import Verification
from roadstead.tables.source import Source

RELEASE_KINDS = classes_in("roadstead.release.kinds", "name", "roadstead.release_kinds", "table")
"""The kinds by name."""


class ReleaseKind(ABC):
    """A release in its folder.

    A kind derives from this class, and says what differs from what stands here. All that asks its
    certificate raises a `VerificationError` if that is damaged.

    Attributes
    ----------
    name, mark
        What the kind is called, and the key of certificates that are of it.
    request
        The fields of the certificate that hold the request.
    checked
        The figures that `verify` works out again from the files alone.
    noisy
        Whether its promise is for all that is released, so that figures counted from the records
        without noise may not join it.
    """

    name: ClassVar[str]
    mark: ClassVar[str]
    request: ClassVar[str] = "settings"
    checked: ClassVar[frozenset[str]] = frozenset({"verified", "files"})
    noisy: ClassVar[bool] = False
    folder: Path

    @property
    @abstractmethod
    def files(self) -> tuple[Fingerprint, ...]:
        """The files that its certificate lists."""

    @property
    @abstractmethod
    def facts(self) -> ReleaseFacts:
        """What it promises and what was measured of it."""

    @abstractmethod
    def verify(self, table: Source | None, allowed: Collection[str]) -> Verification:
        """Check it from its files alone, and from its `table` where that is elsewhere.

        `allowed`: packages that are not Roadstead and whose models may be loaded.
        """

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the source, which somebody may give reasons for."""
        return self.released

    @property
    def released(self) -> tuple[str, ...]:
        """Those of them that are released."""
        return self.facts.columns

    @property
    def attacks(self) -> tuple[CertifiedAttack, ...]:
        """What attacks found, as its certificate has it."""
        found = self.facts.attacks
        return () if isinstance(found, Unknown) else found

    def figures(self) -> Iterator[CertifiedFigure]:
        """Return what claims can rest on, each with its field of the certificate."""
        return iter(())

    def table_elsewhere(self) -> TableFingerprint:
        """Return what its table in a database is; a `SettingError` where the folder has it."""
        what = "all tables of this release are in the folder"
        raise SettingError(what, where=option("table"), fix="leave this setting out")

    def shown(self, allowed: Collection[str], done: str) -> ShownRelease:  # noqa: ARG002 - for kinds that can
        """Return what it shows of records; a `SettingError` if that cannot be `done` to it."""
        what = f"only the release of a single table can be {done}"
        raise SettingError(what, where=str(self.folder), fix="name the release of a single table")

    def with_attacks(
        self,
        files: Sequence[Fingerprint],
        attacks: Sequence[CertifiedAttack],
    ) -> bytes:
        """Return its certificate with other files and what attacks found."""
        raise NotImplementedError


def release_of(folder: Path, allowed: Collection[str] | None = ()) -> ReleaseKind:
    """Return the release in a folder, of the kind that its certificate names.

    A folder without a mark is taken for that of a table, which says what is wrong with it.
    `allowed`: packages that are not Roadstead and whose kinds may be loaded; None for any that is
    installed, where the folder is this user's own. A `VerificationError` for those of others.
    """
    name = _named_in(folder)
    plugin = RELEASE_KINDS.plugin(name)
    if plugin is not None and allowed is not None and plugin.package not in allowed:
        raise VerificationError(
            f"its kind, {named(str(plugin))}, is not part of Roadstead",
            where=str(folder),
            fix="if you trust this package, allow it with "
            f"{option('allow_plugin', named(plugin.package))}",
        )
    made: Callable[[Path], ReleaseKind] = RELEASE_KINDS[name]
    return made(folder)


def _named_in(folder: Path) -> str:
    """Return the kind whose mark the certificate has; nothing of a kind is loaded for another."""
    try:
        document = json.loads(content_of(folder / CERTIFICATE, own=True))
    except (OSError, ValueError, RecursionError):
        document = None
    keys = document if isinstance(document, dict) else {}
    names = (name for name in RELEASE_KINDS.own if RELEASE_KINDS[name].mark in keys)
    others = (name for name in RELEASE_KINDS if f"roadstead_{name.replace('-', '_')}" in keys)
    return next(names, None) or next(others, RELEASE_KINDS.own[0])


def verified(
    folder: Path, allowed: Collection[str] = (), table: Source | None = None
) -> Verification:
    """Check a release from its files alone, and from its `table` where that is elsewhere."""
    return release_of(folder, allowed).verify(table, allowed)


def files_of(folder: Path, allowed: Collection[str] | None = ()) -> frozenset[str]:
    """Name the files in a folder that are still those of the release its certificate speaks of.

    A folder without a certificate that can be read is no release, and the answer is empty. A file
    that was changed or put in the place of another is somebody's, and not named.
    """
    try:
        certified = release_of(folder, allowed).files
    except VerificationError:
        return frozenset()
    return unchanged_files(folder, certified)


def signed_files(folder: Path) -> tuple[Fingerprint, ...]:
    """Return the fingerprint of the certificate as it is now, and those that stand in it.

    That each file has the fingerprint that stands in the certificate is another check, which a
    release is put to as well, and which allows or refuses its kind.
    """
    return (fingerprint(folder / CERTIFICATE), *release_of(folder, None).files)
