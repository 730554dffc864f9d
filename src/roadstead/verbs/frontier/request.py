"""The request for a frontier: its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import (
    MODELS,
    NEW_FOLDER,
    NUMBER,
    ORDERS,
    SWITCH,
    TABLES,
    TEXT,
    WHOLE,
    Form,
)
from roadstead.requests.groups import (
    ColumnRoles,
    CountedPeople,
    EarlierReleases,
    Hierarchies,
    LimitedSearch,
    NewTable,
    Reading,
    TableInput,
)
from roadstead.requests.origin import Project
from roadstead.requests.persons import PersonKnowledge
from roadstead.verbs.frontier import MODELS_HOLD, SAFE_HARBOR

if TYPE_CHECKING:
    from roadstead.verbs.frontier.result import FrontierFinding  # noqa: F401 - in a text below


def _threshold(text: str, key: str) -> str | float:
    if text in (SAFE_HARBOR, MODELS_HOLD):
        return text
    try:
        return float(text)
    except ValueError:
        fix = f"use {SAFE_HARBOR}, {MODELS_HOLD}, or a share of the original data's risk"
        raise checks.wrong(key, f"{text!r} is no threshold", fix) from None


def _from_one(says: str, fix: str) -> Callable[[int, str], int]:
    """Refuse a number below 1."""

    def check(value: int, key: str) -> int:
        checks.number(value, key)
        if value < 1:
            raise checks.wrong(key, f"{value} policies {says}", fix)
        return value

    return check


@request
class FrontierRequest(
    VerbRequest["FrontierFinding[Any]"],
    TableInput,
    ColumnRoles,
    PersonKnowledge,
    Hierarchies,
    CountedPeople,
    LimitedSearch,
    EarlierReleases,
    NewTable,
    Reading,
):
    """Find every good trade between risk and loss, and where Safe Harbor lies.

    Raises
    ------
    InputError
        When the request or the table is wrong.
    NoPolicyError
        When no policy is acceptable.
    """

    verb: ClassVar = "frontier"
    stopping: ClassVar = (
        "stopping the search; the frontier so far is kept (Ctrl-C again to end)",
        "  (Ctrl-C keeps the best)",
    )
    margins: Sequence[Any] = option(
        "Numbers of people by some of the quasi-identifiers, to estimate a population from; "
        "repeatable.",
        TABLES,
        default=(),
        flag="margin",
        metavar="DATA",
        says="Tables of people by some of the quasi-identifiers each, with the column "
        "`population_counts`: a population is estimated from them.",
    )
    orders: Mapping[str, Sequence[str]] | None = option(
        "The values of a column in order; repeatable.",
        ORDERS,
        default=None,
        flag="order",
        metavar="A=V,W,X",
    )
    risk_measure: str = option(
        "Risk: population or at-risk.",
        TEXT,
        default="population",
        metavar="RISK",
        usual="population",
        says="``population`` is the expected number of records re-identified, with the exponent "
        "`gamma` on the number of people alike; ``at-risk`` the number of records that fewer than "
        "`k` people are like.",
    )
    gamma: float | None = option(
        "Exponent on the people alike in the population risk.", NUMBER, default=None, usual="1"
    )
    k: int | None = option(
        "Records among fewer people than these are at risk.", WHOLE, default=None, usual="5"
    )
    quality: str = option(
        "Loss: a quality model, such as divergence, loss or discernibility.",
        TEXT,
        default="divergence",
        metavar="MEASURE",
        usual="divergence",
    )
    search: str | None = option(
        "Search strategy: combined, steepest, closure, segmentation, pareto-segments; with "
        "roadstead-reproductions also sublattice-heuristic, random-chain; exact for levels of "
        "hierarchies; with a threshold bisecting or directed.",
        TEXT,
        default=None,
        metavar="SEARCH",
        usual="combined; exact where persons are counted",
    )
    threshold: float | str | None = option(
        "Look for policies at the edge of this risk: safe-harbor, or a share of the original "
        "data's; or models, for those of {privacy}.",
        Form("text", read=_threshold),
        default=None,
        metavar="RISK",
    )
    privacy: Sequence[Any] = option(
        "Privacy model that stands for the threshold; repeatable.",
        MODELS,
        default=(),
        metavar="MODEL:A=1,B=2",
    )
    iterations: int | None = option(
        "Policies at the threshold to look for.",
        WHOLE,
        default=None,
        usual="100",
        check=_from_one("at the threshold are requested", "ask for 1 or more"),
    )
    evaluations: int | None = option(
        "Most policies whose classes are counted.",
        WHOLE,
        default=None,
        check=_from_one("may be evaluated", "allow 1 or more, or leave it out"),
    )
    choose: int | None = option(
        "Release under the policy of this index, too.",
        WHOLE,
        default=None,
        metavar="INDEX",
        check=checks.whole,
    )
    promised_k: int | None = option(
        "Smallest group that a chosen policy should leave; a policy that keeps less needs a "
        "reason.",
        WHOLE,
        default=None,
        flag="promise-k",
        metavar="K",
        usual="5",
        place="privacy.k",
    )
    choose_reason: str | None = option(
        "Why to release under a policy that keeps less than was declared, in a few words. The "
        "certificate and the report keep the words.",
        TEXT,
        default=None,
        metavar="TEXT",
        check=checks.text,
    )
    risk: float | None = option(
        "Release under the policy that loses least of those of at most this risk, too.",
        NUMBER,
        default=None,
        metavar="R",
        check=checks.share,
    )
    out: Path | None = option(
        "New folder for page and points.",
        NEW_FOLDER,
        default=None,
        metavar="DIR",
    )
    force: bool = option("Replace a former frontier.", SWITCH, default=False)

    @classmethod
    def joins(
        cls, given: Mapping[str, Any], _project: Project, under: dict[str, Any]
    ) -> dict[str, Any]:
        """Leave out a project file's population where margins are given, and its new table.

        That is for the release of `anonymize`. Its ledger is for a release that is chosen.
        """
        dropped = {"into", *(["population"] if given.get("margins") else [])}
        if given.get("choose") is None and given.get("risk") is None:
            dropped |= {"ledger", "ledger_people"}
        return {key: value for key, value in under.items() if key not in dropped}

    @staticmethod
    def progress_line(progress: Any) -> str:  # noqa: ANN401 - of the search
        """Say on one line how far the search is."""
        from roadstead.reports.frontier.lines import progress_line  # noqa: PLC0415 - heavy

        return progress_line(progress)
