"""The fields of a request for an evaluation: a release to judge, or a request to rehearse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import (
    FOLDERS,
    NAMES,
    NEW_FOLDER,
    SWITCH,
    TABLE,
    TEXT,
    WHOLE,
    choice,
)
from roadstead.requests.groups import OtherPackages, Reading, TableInput
from roadstead.requests.origin import Project
from roadstead.verbs.synthesize.request import SETTING, PublicDomains

if TYPE_CHECKING:
    from roadstead.verbs.evaluate.result import EvaluationFinding  # noqa: F401 - in a text below


@request
class EvaluateRequest(
    VerbRequest["EvaluationFinding"], TableInput, PublicDomains, OtherPackages, Reading
):
    """Say what releases are good for, next to their original or on other records.

    Raises
    ------
    InputError
        When the request, the release or a table is wrong.
    """

    verb: ClassVar = "evaluate"
    stopping: ClassVar = (
        "stopping after this run; the runs so far are kept (Ctrl-C again to end)",
        "  (Ctrl-C to stop)",
    )
    data: Any = option(
        "Folder of a release, or a table to rehearse a private request on.",
        TABLE,
        kw_only=False,
        metavar="RELEASE|DATA",
        place="data",
        says="The folder of a release to be judged, or a list of folders to be compared with their "
        "`original`; or, to rehearse a request, a `Source`, the path of a file, a data frame, an "
        "Arrow table or an Ibis table.",
    )
    others: Sequence[str] = option(
        "Further releases, to compare with {original}.",
        FOLDERS,
        default=(),
        kw_only=False,
        metavar="[RELEASE]...",
    )
    original: Any = option(
        "The table that the releases were made of, to compare them with.",
        TABLE,
        default=None,
        metavar="FILE",
    )
    held_out: Any = option(
        "Records that were not in the release, to judge it.",
        TABLE,
        default=None,
        metavar="FILE",
    )
    formula: str | None = option(
        "Regression to compare: 'outcome ~ a + b'.",
        TEXT,
        default=None,
        metavar="FORMULA",
        check=checks.text,
        says="A regression to compare: ``outcome ~ a + b``, linear for an outcome of numbers, "
        "logistic for one of two values.",
    )
    draws: int | None = option(
        "How often a release is completed for the regression.",
        WHOLE,
        default=None,
        metavar="N",
        usual="20",
    )
    drawn_from: Literal["outcome", "margins", "uniform"] | None = option(
        "By what values within a cell are drawn: outcome, margins or uniform.",
        choice("outcome", "margins", "uniform"),
        default=None,
        usual="outcome",
    )
    epsilon: Any = option(
        "Privacy budgets to rehearse, such as 0.1,0.5,1.",
        SETTING,
        default=None,
        metavar="E,E",
        place="synthesis.epsilon",
        says="To rehearse: one or several privacy budgets, as a list or in a text with commas; "
        "each is tried with each number of specializations.",
    )
    specializations: Any = option(
        "How many specializations, several to compare; auto: chosen privately.",
        SETTING,
        default=None,
        metavar="N,N",
        usual="auto",
        place="synthesis.specializations",
    )
    runs: int | None = option(
        "How often the table is parted anew.",
        WHOLE,
        default=None,
        metavar="N",
        usual="10 for rehearsals, 2 for comparisons",
    )
    held_out_share: Any = option(
        "Part of the records to predict.", TEXT, default=None, metavar="SHARE", usual="1/3"
    )
    classifiers: Sequence[str] | None = option(
        "What learns: tree, boosted.",
        NAMES,
        default=None,
        metavar="A,B",
        usual="tree,boosted for releases, tree for rehearsals, boosted for comparisons",
    )
    comparators: Sequence[str] | None = option(
        "Compare with: top-down, contingency, or none.",
        NAMES,
        default=None,
        metavar="A,B",
        usual="top-down,contingency",
    )
    k: int | None = option("Least size of a group, for top-down.", WHOLE, default=None, usual="5")
    bands: int | None = option(
        "Bands of a number, for the contingency table.", WHOLE, default=None, usual="2"
    )
    seed: int | None = option(
        "Seed of the parting; the noise has none.", WHOLE, default=None, usual="0"
    )
    out: Path | None = option(
        "New folder for the figures.", NEW_FOLDER, default=None, metavar="DIR"
    )
    force: bool = option("Replace a former evaluation.", SWITCH, default=False)

    @staticmethod
    def joins(given: Mapping[str, Any], _: Project, under: Mapping[str, Any]) -> Mapping[str, Any]:
        """Refuse to take the table of a project file for a release."""
        for key in ("held_out", "original"):
            if given.get(key) is not None and given.get("data") is None:
                raise wrong(key, "no release is named", "give its folder")
        return under

    @staticmethod
    def progress_line(progress: Any) -> str:  # noqa: ANN401 - of the runs
        """Say on one line how far it is."""
        return f"run {progress.run} of {progress.runs}, {progress.seconds:.0f} s: {progress.step}"
