"""Define the request for a frontier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, new_folder, option, output_switch, request
from roadstead.requests.forms import MODELS, NUMBER, ORDERS, TABLES, TEXT, WHOLE, Form
from roadstead.requests.groups import (
    CodebookOption,
    ColumnRoles,
    CountedPeople,
    Hierarchies,
    LimitedSearch,
    Reading,
    TableInput,
)
from roadstead.requests.headings import Heading
from roadstead.requests.origin import Project
from roadstead.requests.outputs import EarlierReleases, NewTable, VerifierPage
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
        fix = f"use {SAFE_HARBOR}, {MODELS_HOLD}, or a share of the original data's risk, 0 to 1"
        raise checks.wrong(key, f"{text!r} is not a threshold", fix) from None


def _from_one(says: str, fix: str) -> Callable[[int, str], int]:

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
    VerifierPage,
    Reading,
    CodebookOption,
):
    """Find the policies with the best balance of risk and detail.

    Raises
    ------
    InputError
        When the request or the table is wrong.
    NoPolicyError
        When no policy is acceptable.
    """

    verb: ClassVar = "frontier"
    example: ClassVar = "patients.csv {quasi=age,sex,zip} {identifiers=name} {out=frontier}"
    stopping: ClassVar = (
        "stopping the search and keeping the frontier so far (press Ctrl-C again to quit)",
        "  (Ctrl-C keeps the best frontier so far)",
    )
    margins: Sequence[Any] = option(
        "Table with population counts for some of the quasi-identifiers. Roadstead estimates the "
        "population from these counts. Repeatable.",
        TABLES,
        default=(),
        heading=Heading.POPULATION,
        flag="margin",
        says="Tables with population counts for some of the quasi-identifiers. Each table has the "
        "column `population_counts`. Roadstead estimates the population from these counts.",
    )
    orders: Mapping[str, Sequence[str]] | None = option(
        "All values of column A, in order. Repeatable.",
        ORDERS,
        default=None,
        heading=Heading.DETAIL,
        common=("frontier",),
        flag="order",
        metavar="A=V,W,X",
    )
    risk_measure: str = option(
        "Measure of risk: the expected number of re-identified records (population), or the "
        "number of records in small groups (at-risk).",
        TEXT,
        default="population",
        heading=Heading.PROTECTION,
        common=("frontier",),
        metavar="NAME",
        says="Measure of risk. ``population``: the expected number of re-identified records; "
        "`gamma` is the exponent of the number of people with the same values. ``at-risk``: the "
        "number of records that match fewer than `k` people.",
    )
    gamma: float | None = option(
        "Exponent of the group size in the population risk.",
        NUMBER,
        default=None,
        heading=Heading.PROTECTION,
        usual="1",
    )
    k: int | None = option(
        "Group size below which a record counts as at risk.",
        WHOLE,
        default=None,
        heading=Heading.PROTECTION,
        common=True,
        usual="5",
    )
    quality: str = option(
        "Measure of loss, for example divergence, loss, or discernibility.",
        TEXT,
        default="divergence",
        heading=Heading.DETAIL,
        common=("frontier",),
        metavar="MEASURE",
    )
    search: str | None = option(
        "Search strategy: combined, steepest, closure, segmentation, or pareto-segments; for "
        "levels of hierarchies, exact; with a threshold, bisecting or directed. The package "
        "roadstead-reproductions adds sublattice-heuristic and random-chain.",
        TEXT,
        default=None,
        heading=Heading.SEARCH,
        metavar="NAME",
        usual="combined; with a threshold, bisecting; with person IDs, exact",
    )
    threshold: float | str | None = option(
        "Search only for policies near this risk: safe-harbor, a share of the original risk (0 "
        "to 1), or models (with {privacy}).",
        Form("text", read=_threshold),
        default=None,
        heading=Heading.PROTECTION,
        common=("frontier",),
        metavar="RISK",
    )
    privacy: Sequence[Any] = option(
        "Privacy model for {threshold=models}. Repeatable.",
        MODELS,
        default=(),
        heading=Heading.PROTECTION,
    )
    iterations: int | None = option(
        "Number of policies to search for near the threshold.",
        WHOLE,
        default=None,
        heading=Heading.SEARCH,
        usual="100",
        check=_from_one("at the threshold are requested", "request 1 or more"),
    )
    evaluations: int | None = option(
        "Number of evaluated policies after which the search ends.",
        WHOLE,
        default=None,
        heading=Heading.SEARCH,
        usual="no limit",
        check=_from_one("may be evaluated", "allow 1 or more, or no limit"),
    )
    choose: int | None = option(
        "Also write a release with the policy that has this number.",
        WHOLE,
        default=None,
        heading=Heading.CHOICE,
        common=("frontier",),
        metavar="INDEX",
        check=checks.whole,
    )
    promised_k: int | None = option(
        "Smallest group size that the chosen policy must have. For a policy with smaller groups, "
        "give {choose_reason}.",
        WHOLE,
        default=None,
        heading=Heading.CHOICE,
        flag="promise-k",
        metavar="K",
        usual="5",
        place="privacy.k",
    )
    choose_reason: str | None = option(
        "Reason for a policy whose groups are smaller than required: at least three words. The "
        "certificate and the report show the reason.",
        TEXT,
        default=None,
        heading=Heading.CHOICE,
    )
    risk: float | None = option(
        "Also write a release. Its policy has the lowest loss of all policies with at most this "
        "risk (0 to 1).",
        NUMBER,
        default=None,
        heading=Heading.CHOICE,
        common=("frontier",),
        metavar="RISK",
        check=checks.share,
    )
    out: Path | None = new_folder(
        "New folder for the page, the picture, and the policies.", default=None
    )
    force: bool = output_switch("Replace an earlier frontier.", default=False)

    @classmethod
    def joins(
        cls, given: Mapping[str, Any], _project: Project, under: dict[str, Any]
    ) -> dict[str, Any]:
        """Drop values of a project file that do not apply to a frontier.

        Margins in the request replace the population in the project file. The new table in the
        project file is only for `anonymize`. The ledger in the project file is only for the release
        of a chosen policy.
        """
        dropped = {"into", *(["population"] if given.get("margins") else [])}
        if given.get("choose") is None and given.get("risk") is None:
            dropped |= {"ledger", "ledger_people"}
        return {key: value for key, value in under.items() if key not in dropped}

    @staticmethod
    def progress_line(progress: Any) -> str:  # noqa: ANN401 - of the search
        """Describe the progress of the search on one line."""
        from roadstead.reports.frontier.lines import progress_line  # noqa: PLC0415 - heavy

        return progress_line(progress)
