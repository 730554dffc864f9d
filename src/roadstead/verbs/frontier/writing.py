"""The files of a frontier, which appear whole or not at all.

``frontier.html`` is the page, ``frontier.png`` its picture, ``frontier.json`` all points with their
policies; the folder ``release`` is the release of the policy chosen, if one was. ``frontier.json``
keeps the fingerprints of the other two, so that only what is still as it was written is replaced.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from roadstead import __version__
from roadstead.quality.words import words_of
from roadstead.release.certificate import files_of
from roadstead.release.documents import Fingerprint, fingerprint, is_unchanged, write_json
from roadstead.release.publish import appearing
from roadstead.release.staging import check_output, staged
from roadstead.reports.frontier_view import (
    ClusterView,
    FrontierPolicy,
    FrontierSearchView,
    FrontierView,
    Measure,
    PopulationView,
    SafeHarborView,
    Spot,
)
from roadstead.verbs.frontier.facts import Axis
from roadstead.verbs.frontier.found import FoundFrontier
from roadstead.verbs.frontier.release import FrontierRelease

PAGE, PICTURE, POINTS, RELEASE = "frontier.html", "frontier.png", "frontier.json", "release"

_MOST_SHOWN = 1_000
"""Policies that are told in words; more would make the page slow."""

_HEADINGS = {"population": "Re-identified", "at-risk": "At risk"}
_EXPLAINED = {
    "population": "Who knows the quasi-identifiers of a person finds the records that share them "
    "and, in the population, all people who do. With g such people a guess is right once in g "
    "times. The risk adds this up over all records: so many can be expected to be re-identified.",
    "at-risk": "A record that fewer than k people are like is found with a probability above 1/k. "
    "The risk counts these records.",
}
_MEANINGS = {
    "file": "Risks are measured against the people of this file.",
    "estimate": "Nobody counted these people as they are here: they were drawn so that what was "
    "counted comes out right. Risks are estimates, too.",
    "sample": "No population is given, so a record is taken to be like the records of the table "
    "alone. True risks are lower, unless the table holds everybody.",
}


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written to, before any work is done.

    Raises
    ------
    OutputError
        When it exists and `force` is not given, or it holds more than a former frontier.
    """
    check_output(out, force=force, own=_former)


def write(
    found: FoundFrontier[Any],
    out: Path,
    *,
    force: bool = False,
    release: FrontierRelease | None = None,
    command: str = "roadstead frontier DATA",
    into: str | None = None,
) -> None:
    """Write a frontier, and the release of the policy chosen, as a folder.

    With `into`, the address of a new table in a database, the released table goes there, and its
    documents to the folder.

    Raises
    ------
    OutputError
        When the folder exists, or cannot be written.
    VerificationError
        When the release does not keep a promise; nothing is written.
    """
    from roadstead.reports.frontier_page import (  # noqa: PLC0415 - charts are heavy
        frontier_page,
        frontier_png,
    )

    view = view_of(found, command)
    with contextlib.ExitStack() as ending:
        aside = None
        if into is not None and release is not None:
            aside = ending.enter_context(
                appearing(into, found.source, out, force=force, own=_former)
            )
            folder = aside.folder
        else:
            folder = ending.enter_context(staged(out, force=force, own=_former))
        (folder / PAGE).write_text(frontier_page(view), encoding="utf-8")
        drawn = frontier_png(view)
        if drawn is not None:
            (folder / PICTURE).write_bytes(drawn)
        written = (PAGE, PICTURE) if drawn is not None else (PAGE,)
        files = [asdict(fingerprint(folder / name)) for name in written]
        write_json({**found.to_dict(), "files": files}, folder / POINTS)
        if release is not None and aside is not None:
            (folder / RELEASE).mkdir()
            release.stage(folder / RELEASE, aside)
        elif release is not None:
            release.write(folder / RELEASE)


def view_of(found: FoundFrontier[Any], command: str) -> FrontierView:
    """Fill the page."""
    policies, reference = found.policies, found.safe_harbor
    searched = found.searched
    return FrontierView(
        title="Risk and loss" if found.threshold is None else f"Policies at {found.threshold}",
        source=found.source.name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        records=found.records,
        attributes=found.roles.quasi,
        policies=tuple(_policy(found, index) for index in _shown(found)),
        members=len(found.members),
        better=len(found.dominating),
        risk=_measure(found.risk),
        loss=_measure(found.loss),
        population=PopulationView(
            found.people.basis,
            found.people.label,
            _MEANINGS[found.people.basis],
            None
            if found.people.table.population is None
            else float(found.people.table.population.sum()),
        ),
        search=FrontierSearchView(
            name=searched.name,
            guarantee=searched.guarantee,
            evaluated=searched.evaluated + searched.beside,
            seconds=searched.seconds,
            ending=searched.ending,
            area=found.area,
            size=policies.number,
            gap=searched.gap,
            seed=searched.seed,
        ),
        safe_harbor=None
        if reference is None
        else SafeHarborView(Spot(*reference.point), policies.words(reference.policy)),
        clusters=tuple(ClusterView(one.medoid, one.indices, one.common) for one in found.clusters),
        command=command,
        notes=(*found.notes, *_left_out(found)),
    )


def _policy(found: FoundFrontier[Any], index: int) -> FrontierPolicy:
    """Tell of a policy in words."""
    member, reference = found.members[index], found.safe_harbor
    words = found.policies.words(member.policy)
    spot = Spot(member.risk, member.loss)
    if reference is None:
        return FrontierPolicy(index, spot, words)
    difference = found.policies.difference(member.policy, reference.policy)
    return FrontierPolicy(index, spot, words, difference)


def _shown(found: FoundFrontier[Any]) -> list[int]:
    """Choose the policies that the page tells of: all, or many spread evenly over the frontier.

    Those that stand for groups are among them, and the first and last of each group.
    """
    number = len(found.members)
    if number <= _MOST_SHOWN:
        return list(range(number))
    spread = np.linspace(0, number - 1, _MOST_SHOWN).round().astype(int).tolist()
    of_groups = {
        index for one in found.clusters for index in (one.medoid, one.indices[0], one.indices[-1])
    }
    return sorted({*spread, *of_groups})


def _left_out(found: FoundFrontier[Any]) -> tuple[str, ...]:
    if len(found.members) <= _MOST_SHOWN:
        return ()
    return (
        f"The page tells of {_MOST_SHOWN:,} of the policies, spread evenly; {POINTS} has all of "
        "them, and any can be chosen by its index.",
    )


def _measure(axis: Axis) -> Measure:
    return Measure(
        axis.name,
        _HEADINGS.get(axis.name, "Lost"),
        axis.meaning,
        _EXPLAINED.get(axis.name) or words_of(axis.name).explained or axis.meaning,
        axis.greatest,
    )


def _former(folder: Path) -> frozenset[str]:
    """Name what is still as a former frontier was written."""
    try:
        document = json.loads((folder / POINTS).read_text(encoding="utf-8"))
        files = [Fingerprint(**one) for one in document["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
    own = {POINTS, *(one.name for one in files if is_unchanged(folder, one))}
    release = folder / RELEASE
    if release.is_dir() and {entry.name for entry in release.iterdir()} <= files_of(release):
        own.add(RELEASE)
    return frozenset(own)
