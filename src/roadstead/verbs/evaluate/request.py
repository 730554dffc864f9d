"""Define the request to evaluate a release, or to try out a request for a private release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.requests.fields import VerbRequest, new_folder, option, output_switch, request
from roadstead.requests.forms import FOLDERS, NAMES, SETTING, TABLE, TEXT, WHOLE, choice
from roadstead.requests.groups import OtherPackages, Reading, TableInput
from roadstead.requests.headings import Heading
from roadstead.requests.origin import Project
from roadstead.verbs.synthesize.request import PublicDomains

if TYPE_CHECKING:
    from roadstead.verbs.evaluate.result import EvaluationFinding  # noqa: F401 - in a text below


@request
class EvaluateRequest(
    VerbRequest["EvaluationFinding"], TableInput, PublicDomains, OtherPackages, Reading
):
    """Measure how useful a release is for analysis.

    Raises
    ------
    InputError
        When the request, the release, or a table is wrong.
    """

    verb: ClassVar = "evaluate"
    example: ClassVar = "release {original=patients.csv} {target=outcome} {out=evaluation}"
    stopping: ClassVar = (
        "stopping after this run and keeping the runs so far (press Ctrl-C again to quit)",
        "  (Ctrl-C to stop)",
    )
    data: Any = option(
        "Folder of a release; or a table for trial runs of a differentially private release.",
        TABLE,
        kw_only=False,
        metavar="RELEASE|DATA",
        place="data",
        says="Folder of a release to evaluate, or a list of folders to compare with their "
        "`original`. For trial runs of a private request, give a table: a `Source`, the path of "
        "a file, a data frame, an Arrow table, or an Ibis table.",
    )
    others: Sequence[str] = option(
        "Further releases to compare. Used only with {original}.",
        FOLDERS,
        default=(),
        check=checks.folders,
        kw_only=False,
        metavar="RELEASE",
    )
    original: Any = option(
        "Table that the releases were made from. The releases are compared with this table.",
        TABLE,
        default=None,
        heading=Heading.COMPARISON,
        common=("evaluate",),
    )
    held_out: Any = option(
        "Table with records that were not in the release, for tests of predictions.",
        TABLE,
        default=None,
        heading=Heading.COMPARISON,
        common=("evaluate",),
    )
    formula: str | None = option(
        "Regression to compare, for example 'outcome ~ a + b'.",
        TEXT,
        default=None,
        heading=Heading.COMPARISON,
        common=("evaluate",),
        metavar="FORMULA",
        says="Regression to compare, for example ``outcome ~ a + b``. It is linear for an outcome "
        "with numbers, and logistic for an outcome with two values.",
    )
    draws: int | None = option(
        "Number of copies of the release for the regression. In each copy, single values replace "
        "the generalized cells.",
        WHOLE,
        default=None,
        heading=Heading.COMPARISON,
        usual="20",
    )
    drawn_from: Literal["outcome", "margins", "uniform"] | None = option(
        "How to choose a value within a generalized cell: by the outcome, by the margins, or "
        "all values with equal chance (uniform).",
        choice("outcome", "margins", "uniform"),
        default=None,
        heading=Heading.COMPARISON,
        metavar="WORD",
        usual="outcome",
    )
    epsilon: Any = option(
        "Privacy budgets to try, for example 0.1,0.5,1.",
        SETTING,
        default=None,
        heading=Heading.TRIALS,
        common=("evaluate",),
        metavar="E,E",
        place="synthesis.epsilon",
        says="Privacy budgets to try: one or several, as a list or separated by commas. Each "
        "budget is tried with each number of specializations.",
    )
    specializations: Any = option(
        "Numbers of specializations to try, or auto (chosen with differential privacy).",
        SETTING,
        default=None,
        heading=Heading.TRIALS,
        metavar="N,N",
        usual="auto",
        place="synthesis.specializations",
    )
    runs: int | None = option(
        "Number of random splits into training and test records.",
        WHOLE,
        default=None,
        heading=Heading.TRIALS,
        common=("evaluate",),
        usual="10 for trial runs, 2 for comparisons",
    )
    held_out_share: Any = option(
        "Share of the records that each trial run uses for testing.",
        TEXT,
        default=None,
        heading=Heading.TRIALS,
        metavar="SHARE",
        usual="1/3",
    )
    classifiers: str | Sequence[str] | None = option(
        "Classifiers to train: tree, boosted.",
        NAMES,
        default=None,
        heading=Heading.COMPARISON,
        common=("evaluate",),
        usual="tree,boosted for releases; tree for trial runs; boosted for comparisons",
    )
    comparators: str | Sequence[str] | None = option(
        "Methods to compare a trial run with: top-down, contingency, or none.",
        NAMES,
        default=None,
        heading=Heading.TRIALS,
        usual="top-down,contingency",
    )
    k: int | None = option(
        "Smallest group size for the top-down comparison.",
        WHOLE,
        default=None,
        heading=Heading.TRIALS,
        common=("evaluate",),
        usual="5",
    )
    bands: int | None = option(
        "Number of bands per numeric column in the contingency table.",
        WHOLE,
        default=None,
        heading=Heading.TRIALS,
        usual="2",
    )
    seed: int | None = option(
        "Seed of the splits and the classifiers. The noise does not have a seed.",
        WHOLE,
        default=None,
        heading=Heading.TRIALS,
        usual="0",
    )
    out: Path | None = new_folder("New folder for the figures.", default=None)
    force: bool = output_switch("Replace an earlier evaluation.", default=False)

    @staticmethod
    def joins(given: Mapping[str, Any], _: Project, under: Mapping[str, Any]) -> Mapping[str, Any]:
        """Reject a request that would treat the table of a project file as a release."""
        for key in ("held_out", "original"):
            if given.get(key) is not None and given.get("data") is None:
                raise wrong(key, "no release is given", "give the folder of the release")
        return under

    @staticmethod
    def progress_line(progress: Any) -> str:  # noqa: ANN401 - of the runs
        """Describe the progress on one line."""
        return f"run {progress.run} of {progress.runs}, {progress.seconds:.0f} s: {progress.step}"
