"""Define the result of a search for the policies with the best trade-offs between risk and loss.

The policies are numbered from 0 in order of increasing risk. The same request gives the same
frontier and the same numbers, unless a time limit ended the search. After a result has been pickled
and loaded, it can still create releases.

The file ``frontier.json`` contains the fingerprints of the page and the picture. With the
fingerprints, Roadstead detects changed files, and replaces only files that are unchanged.
"""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roadstead.errors import Refusal
from roadstead.front_end import as_in_documents, option
from roadstead.printable import printable_lines
from roadstead.release.documents import fingerprint, now, write_json
from roadstead.release.kind import files_of
from roadstead.release.publish import appearing, publish_release, stage
from roadstead.release.staging import check_output, staged
from roadstead.release.verification.checks import Verification
from roadstead.reports.frontier.facts import FrontierFacts
from roadstead.reports.frontier.lines import PAGE, PICTURE, POINTS, document, in_brief, lines
from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.search.frontiers.frontier import CLOSE
from roadstead.tables.source import Source
from roadstead.verbs.frames import ResultOfTable, brief
from roadstead.verbs.frontier.promise import with_reason
from roadstead.verbs.frontier.release import FrontierRelease
from roadstead.verbs.frontier.study import Study
from roadstead.verbs.ledger import LedgerUse
from roadstead.verbs.writing import still_as_written

if TYPE_CHECKING:
    import pyarrow as pa

P = TypeVar("P")
RELEASE = "release"


def check_folder(out: Path, *, force: bool) -> None:
    """Before any work starts, reject an output folder that cannot be written to."""
    check_output(out, force=force, own=_former)


def write(  # noqa: PLR0913 - what a folder of a frontier consists of
    facts: FrontierFacts[Any],
    source: Source,
    out: Path,
    *,
    force: bool = False,
    release: FrontierRelease | None = None,
    command: str = "roadstead frontier DATA",
    into: str | None = None,
    ledger: LedgerUse | None = None,
    verifier: bool = True,
) -> Verification | None:
    """Write a frontier, and the release of the chosen policy, to a folder.

    If `into` is the address of a new table, the released table is written there.
    """
    from roadstead.reports.frontier import page  # noqa: PLC0415 - charts are heavy

    created = now()
    with contextlib.ExitStack() as ending:
        # The ledger records the release last, when the folder exists.
        made = None
        if release is not None:
            made = ending.enter_context(release.laid(ledger, out / RELEASE, verifier=verifier))
        aside = None
        if into is not None and release is not None:
            aside = ending.enter_context(appearing(into, source, out, force=force, own=_former))
            folder = aside.folder
        else:
            folder = ending.enter_context(staged(out, force=force, own=_former))
        with as_in_documents():
            text = page.frontier_page(facts, command, created)
        (folder / PAGE).write_text(text, encoding="utf-8")
        drawn = page.frontier_png(facts)
        if drawn is not None:
            (folder / PICTURE).write_bytes(drawn)
        written = (PAGE, PICTURE) if drawn is not None else (PAGE,)
        files = [asdict(fingerprint(folder / name)) for name in written]
        write_json({**document(facts), "files": files}, folder / POINTS)
        if made is not None and aside is not None:
            (folder / RELEASE).mkdir()
            return stage(made, folder / RELEASE, aside)
        if made is not None:
            return publish_release(made, folder / RELEASE, None, force=False)
    return None


def _former(folder: Path) -> frozenset[str]:
    own = still_as_written(folder, POINTS)
    release = folder / RELEASE
    if release.is_dir() and {entry.name for entry in release.iterdir()} <= files_of(release):
        return own | {RELEASE} if own else own
    return own


@dataclass(frozen=True, eq=False, repr=False)
class FrontierFinding(FrontierFacts[P], ResultOfTable):
    """The policies on the frontier: the search found no policy with both lower risk and lower loss.

    `study` contains the table and the policies of the search, and makes releases.
    """

    study: Study[P] = field(kw_only=True)

    @property
    def source(self) -> Source:
        """Return the table."""
        return self.study.read

    def choose(self, index: int, *, reason: str | None = None) -> FrontierRelease:
        """Return the release of a policy.

        Parameters
        ----------
        index
            The index of the policy on the frontier.
        reason
            The reason to choose the policy although it does not meet the declared minimum.

        Raises
        ------
        SettingError
            When the frontier has no policy with this index, or when the policy does not meet the
            declared minimum and no reason is given.
        """
        return chosen_at(self, index, reason, key="index", reason_key="reason")

    def within(self, risk: float, *, reason: str | None = None) -> FrontierRelease:
        """Return the release with the lowest loss among policies with at most this risk.

        Parameters
        ----------
        risk
            The highest accepted risk, as a share of the risk of the original data.
        reason
            The reason to choose the policy although it does not meet the declared minimum.

        Raises
        ------
        SettingError
            When the risk is not a share. For example, 5 does not mean 5%, and would release
            everything unchanged. Also when the policy does not meet the declared minimum and no
            reason is given.
        Refusal
            When the search found no policy with such a low risk.
        """
        return chosen_within(self, risk, reason, reason_key="reason")

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write the page, the picture, and the points to a new folder.

        Raises
        ------
        OutputError
            When the folder cannot be written. `force` replaces an earlier frontier.
        """
        write(self, self.source, checks.path(out, "out"), force=force)

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as a dictionary that can be converted to JSON."""
        return document(self)

    def to_arrow(self) -> pa.Table:
        """Return the policies on the frontier as an Arrow table.

        The columns are index, risk, utility_loss, and dominates_safe_harbor.
        """
        import pyarrow as pa  # noqa: PLC0415 - heavy

        better = set(self.dominating)
        return pa.table(
            {
                "index": list(range(len(self.members))),
                "risk": [member.risk for member in self.members],
                "utility_loss": [member.loss for member in self.members],
                "dominates_safe_harbor": [i in better for i in range(len(self.members))],
            }
        )

    def _repr_html_(self) -> str:
        from roadstead.reports.frontier.page import in_notebook  # noqa: PLC0415 - charts are heavy

        return in_notebook(self)

    def __repr__(self) -> str:
        return brief(self, self.source.name, *in_brief(self))

    def __str__(self) -> str:
        return printable_lines(lines(self))


def chosen_at(
    found: FrontierFinding[Any],
    index: int,
    reason: str | None,
    *,
    key: str = "choose",
    reason_key: str = "choose_reason",
) -> FrontierRelease:
    """Return the release of a policy. `key` and `reason_key` are used in messages."""
    if reason is not None:
        checks.text(reason, reason_key)
    release, where = to_look_at(found, index, key), option(key, index)
    return with_reason(release, found.study.declared, reason, where=where, key=reason_key)


def chosen_within(
    found: FrontierFinding[Any],
    risk: float,
    reason: str | None,
    *,
    reason_key: str = "choose_reason",
) -> FrontierRelease:
    """Return the release with the lowest loss among policies with at most this risk."""
    checks.share(risk, "risk")
    if reason is not None:
        checks.text(reason, reason_key)
    fitting = [member for member in found.members if member.risk <= risk + CLOSE]
    if not fitting:
        least = found.members[0].risk
        raise Refusal(
            f"the search found no policy with at most {risk:g} of the original data's risk",
            where=option("risk"),
            fix=f"the lowest risk found is {least:.6g}",
        )
    release = found.study.release(min(fitting, key=lambda member: member.loss), risk, found)
    where = option("risk", risk)
    return with_reason(release, found.study.declared, reason, where=where, key=reason_key)


def to_look_at(found: FrontierFinding[Any], index: int, key: str = "choose") -> FrontierRelease:
    """Return the release of a policy for viewing. The declared minimum does not apply yet."""
    index = checks.whole(index, key)
    if not 0 <= index < len(found.members):
        fix = f"choose a number from 0 to {len(found.members) - 1}"
        raise wrong(key, f"the frontier has no policy {index}", fix)
    member = found.members[index]
    return found.study.release(member, member.risk, found)
