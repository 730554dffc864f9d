"""Define the interface that every kind of release implements.

Each kind is a class in a file of `roadstead.release.kinds`, and an instance represents the release
in a folder. The certificate identifies the kind by its mark, which is a key that only this kind
has. Another package can provide a kind as an entry point in the group `roadstead.release_kinds`.
The mark is then ``roadstead_`` followed by the name of the entry point. A certificate may come from
an untrusted person. So a package is loaded only if the recipient allows it.
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
from roadstead.rooms import NOT_INSTALLED, missing_room
from roadstead.tables.source import Source

RELEASE_KINDS = classes_in("roadstead.release.kinds", "name", "roadstead.release_kinds", "table")
"""All kinds of releases, by name."""


class ReleaseKind(ABC):
    """The release in a folder.

    A kind derives from this class and overrides the methods and properties that differ. Each method
    that reads the certificate raises a `VerificationError` if the certificate is damaged.

    Attributes
    ----------
    name, mark
        The name of the kind, and the key that its certificates contain.
    request
        The fields of the certificate that contain the request.
    checked
        The figures that `verify` recomputes from the files alone.
    noisy
        Whether the guarantee covers everything that is released. If so, no figures without noise
        may be added.
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
        """Return the files that the certificate lists."""

    @property
    @abstractmethod
    def facts(self) -> ReleaseFacts:
        """Return the privacy requirements of the release, and the measured facts."""

    @abstractmethod
    def verify(self, table: Source | None, allowed: Collection[str]) -> Verification:
        """Check the release from its files, and from `table` if the table is not in the folder.

        `allowed` lists packages other than Roadstead whose models may be loaded.
        """

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the source. A determination may give reasons for them."""
        return self.released

    @property
    def released(self) -> tuple[str, ...]:
        """Return the released columns."""
        return self.facts.columns

    @property
    def attacks(self) -> tuple[CertifiedAttack, ...]:
        """Return the results of attacks that the certificate contains."""
        found = self.facts.attacks
        return () if isinstance(found, Unknown) else found

    def figures(self) -> Iterator[CertifiedFigure]:
        """Return the figures that a claim can refer to, each with its field in the certificate."""
        return iter(())

    def table_elsewhere(self) -> TableFingerprint:
        """Return the fingerprint of a table in a database.

        If the table is a file, a `SettingError` is raised.
        """
        what = "all tables of this release are in the folder"
        raise SettingError(what, where=option("table"), fix="leave this setting out")

    def shown(self, allowed: Collection[str], done: str) -> ShownRelease:  # noqa: ARG002 - for kinds that can
        """Return the table that the release shows.

        `done` describes the action in error messages. If the release does not allow the action, a
        `SettingError` is raised.
        """
        what = f"only the release of a single table can be {done}"
        raise SettingError(what, where=str(self.folder), fix="use the release of a single table")

    def with_attacks(
        self,
        files: Sequence[Fingerprint],
        attacks: Sequence[CertifiedAttack],
    ) -> bytes:
        """Return the certificate with the given files and the results of attacks."""
        raise NotImplementedError


def release_of(folder: Path, allowed: Collection[str] | None = ()) -> ReleaseKind:
    """Return the release in a folder, as an instance of the kind that the certificate names.

    If the certificate does not have a mark, the folder is treated as the release of a table. Then
    the check of the release reports the fault. `allowed` lists packages other than Roadstead whose
    kinds may be loaded. If `allowed` is None, any installed package is allowed, which is safe if
    the folder belongs to the user. A kind from a package that is not allowed, or whose room is
    missing, raises a `VerificationError`.
    """
    name = _named_in(folder)
    plugin = RELEASE_KINDS.plugin(name)
    if plugin is not None and allowed is not None and plugin.package not in allowed:
        raise VerificationError(
            f"the kind of this release, {named(str(plugin))}, is not part of Roadstead",
            where=str(folder),
            fix="if you trust this package, allow it with "
            f"{option('allow_plugin', named(plugin.package))}",
        )
    made: Callable[[Path], ReleaseKind] = RELEASE_KINDS[name]
    return made(folder)


def _named_in(folder: Path) -> str:
    """Return the kind whose mark is in the certificate. Other packages are not loaded."""
    try:
        document = json.loads(content_of(folder / CERTIFICATE, own=True))
    except (OSError, ValueError, RecursionError):
        document = None
    keys = document if isinstance(document, dict) else {}
    if (room := missing_room(keys)) is not None:
        raise VerificationError(
            f"for this release, {NOT_INSTALLED}: {room}",
            where=str(folder),
            fix="install the complete package",
        )
    names = (name for name in RELEASE_KINDS.own if RELEASE_KINDS[name].mark in keys)
    others = (name for name in RELEASE_KINDS if f"roadstead_{name.replace('-', '_')}" in keys)
    return next(names, None) or next(others, RELEASE_KINDS.own[0])


def verified(folder: Path, allowed: Collection[str] = ()) -> Verification:
    """Check a release from its files."""
    return release_of(folder, allowed).verify(None, allowed)


def files_of(folder: Path, allowed: Collection[str] | None = ()) -> frozenset[str]:
    """Return the names of the certified files in a folder that are unchanged.

    If the folder does not have a readable certificate, it is not a release, and the result is
    empty. Files that were changed or replaced are not included, because they may belong to the
    user.
    """
    try:
        certified = release_of(folder, allowed).files
    except VerificationError:
        return frozenset()
    return unchanged_files(folder, certified)


def signed_files(folder: Path) -> tuple[Fingerprint, ...]:
    """Return the fingerprint of the current certificate, and the fingerprints that it lists.

    Other checks compare the files with the certificate, and reject a kind that is not allowed.
    """
    return (fingerprint(folder / CERTIFICATE), *release_of(folder, None).files)
