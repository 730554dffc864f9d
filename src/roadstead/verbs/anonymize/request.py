"""Define the request for an anonymized release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from roadstead.privacy.registry import MADE_FOR_PERSONS, PRIVACY_MODELS
from roadstead.quality.words import QUALITY_MODELS
from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import (
    LEVELS_BY_NAME,
    MEASURE,
    MODELS,
    NEW_FILE,
    NUMBER,
    NUMBERS_BY_NAME,
    SWITCH,
    TEXT,
    TREATMENTS,
    WHOLE,
    YES_OR_NO,
    choice,
)
from roadstead.requests.groups import (
    CodebookOption,
    ColumnRoles,
    Hierarchies,
    LimitedSearch,
    People,
    Reading,
    TableInput,
)
from roadstead.requests.headings import Heading
from roadstead.requests.outputs import NewRelease
from roadstead.requests.persons import PersonDates, PersonProtection, WholeDatabase

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.result import Anonymization  # noqa: F401 - in a text below

_MODELS = [kind for kind in PRIVACY_MODELS.own[1:] if kind not in MADE_FOR_PERSONS]
COMBINATIONS = 20_000_000
"""The default limit on the number of combinations in memory."""


@request
class AnonymizeRequest(
    VerbRequest["Anonymization"],
    TableInput,
    ColumnRoles,
    PersonProtection,
    WholeDatabase,
    PersonDates,
    Hierarchies,
    People,
    LimitedSearch,
    NewRelease,
    Reading,
    CodebookOption,
):
    """Make a de-identified release, with its report and certificate.

    Raises
    ------
    InputError
        When the request or the table is wrong.
    NoPolicyError
        When no policy meets the privacy requirements. The message names the settings that prevent a
        release.
    """

    verb: ClassVar = "anonymize"
    example: ClassVar = "patients.csv {quasi=age,sex,zip} {identifiers=name} {out=release}"
    stopping: ClassVar = (
        "stopping the search and keeping the best policy so far (press Ctrl-C again to quit)",
        "  (Ctrl-C keeps the best policy so far)",
    )
    k: int | None = option(
        "Smallest group size, 2 or more. Each released record shares its quasi-identifiers with at "
        "least k - 1 other records.",
        WHOLE,
        default=None,
        heading=Heading.PROTECTION,
        common=True,
        usual="5",
        place="privacy.k",
        more="With {privacy}, the value 1 turns k-anonymity off. With k-map, uniqueness, or "
        "profitability models, k-anonymity applies only if you set {k}.",
        says="Smallest group size: each released record shares its quasi-identifiers with at least "
        "k - 1 other records. The default is 5, even with further privacy models; the result "
        "shows it. k-map, uniqueness, and profitability models are less strict than k-anonymity. "
        "If you use such a model, k-anonymity applies only if you set k. With any other model, "
        "the value 1 turns k-anonymity off.",
    )
    privacy: Sequence[Any] = option(
        "Further privacy model that the release must meet, for example "
        "t-closeness:column=diagnosis,t=0.2. Repeatable.",
        MODELS,
        default=(),
        heading=Heading.PROTECTION,
        common=("anonymize",),
        place="privacy.models",
        more=f"Models: {', '.join(_MODELS)}. The models k-map, uniqueness, and profitability "
        "replace k-anonymity unless you set {k}.",
        says="Further privacy models: model objects, or settings such as "
        '``{"kind": "t-closeness", "column": "diagnosis", "t": 0.2}``. The release must meet all '
        f"of them. Models: {', '.join(_MODELS)}.",
    )
    treat: Sequence[Any] = option(
        "Change a released column that is not a quasi-identifier: "
        "microaggregation:column=A,k=5 replaces values with the mean of small groups; "
        "rounding:column=A,base=5 rounds numbers. Repeatable.",
        TREATMENTS,
        default=(),
        heading=Heading.DETAIL,
        metavar="KIND:A=1",
        place="treatments",
        check=checks.tables,
        more="Further settings of microaggregation: columns=A+B; function=mean, median, mode, or "
        "interval; within=classes; groups=whole. Further settings of rounding: low, high.",
        says="Changes to released columns that are not quasi-identifiers. Each change is a "
        'mapping of settings. ``{"kind": "microaggregation", "columns": ["glucose"], "k": 5}`` '
        "replaces the values with the mean of groups of at least k records. ``function`` can "
        "also be median, mode, or interval. ``within`` can be table or classes. "
        '``{"kind": "rounding", "column": "weight", "base": 5}`` rounds numbers, with bounds '
        "``low`` and ``high``. Neither change is random.",
    )
    suppression: float = option(
        "Largest share of records to suppress, 0 to 1.",
        NUMBER,
        default=0.05,
        heading=Heading.PROTECTION,
        common=True,
        metavar="SHARE",
        place="privacy.suppression",
        check=checks.suppression,
    )
    suppressed: Literal["mask", "drop"] = option(
        "How suppressed records appear: with * in every quasi-identifier (mask), or not at all "
        "(drop).",
        choice("mask", "drop"),
        default="mask",
        heading=Heading.PROTECTION,
        place="privacy.suppressed",
    )
    count_records: bool = option(
        "Count records, even if a direct identifier shows that people have several records.",
        SWITCH,
        default=False,
        heading=Heading.PEOPLE,
        place="persons.count_records",
        says="Whether to count records even if a column of `identifiers` shows that people have "
        "several records. Otherwise, Roadstead rejects such a request if a group has fewer than k "
        "people, and suggests that column as `person`.",
    )
    quality: str = option(
        f"Measure of loss to minimize: {', '.join(QUALITY_MODELS.own[:-1])}, or "
        f"{QUALITY_MODELS.own[-1]}.",
        MEASURE,
        default="loss",
        heading=Heading.DETAIL,
        metavar="MEASURE",
        place="quality.quality",
        says="Measure of loss to minimize, by name: "
        f"{', '.join(QUALITY_MODELS.own[:-1])}, or {QUALITY_MODELS.own[-1]}. It can also be a "
        "function. The function receives, for each label of a record, the number of values that "
        "the label covers. The result must not decrease if one of these numbers grows.",
    )
    aggregate: str = option(
        "How to combine the losses of the quasi-identifiers, for loss, precision, and entropy: "
        "geometric, arithmetic, sum, maximum, or rank.",
        TEXT,
        default="geometric",
        heading=Heading.DETAIL,
        metavar="MEAN",
        place="quality.aggregate",
    )
    target: str | None = option(
        "Column to predict with {quality=classification}.",
        TEXT,
        default=None,
        heading=Heading.DETAIL,
        metavar="COLUMN",
        place="quality.target",
    )
    weights: Mapping[str, float] | None = option(
        "Weight of quasi-identifier A in the loss. A higher weight keeps more detail.",
        NUMBERS_BY_NAME,
        default=None,
        heading=Heading.DETAIL,
        common=("anonymize",),
        flag="weight",
        metavar="A=2",
        usual="1",
        place="quality.weights",
    )
    gs_factor: float = option(
        "Balance between generalization and suppression in loss, precision, entropy, and bits, "
        "from 0 to 1. With 0.5, both count fully. With 0, only generalization counts. With 1, only "
        "suppression counts.",
        NUMBER,
        default=0.5,
        heading=Heading.DETAIL,
        metavar="SHARE",
        place="quality.gs_factor",
    )
    gs_formula: Literal["roadstead", "arx"] = option(
        "How loss and precision count a suppressed record if {gs_factor} is below 0.5: as 2 times "
        "the factor (roadstead), or as the loss of its generalized values, plus 2 times the factor "
        "multiplied by the rest of the loss (arx).",
        choice("roadstead", "arx"),
        default="roadstead",
        heading=Heading.DETAIL,
        metavar="WORD",
        place="quality.gs_formula",
    )
    monotone: bool = option(
        "Whether loss, precision, bits, entropy, and discernibility count suppressed records as "
        "if their generalized values were released.",
        YES_OR_NO,
        default=False,
        heading=Heading.DETAIL,
        place="quality.monotone",
    )
    stakes: Mapping[str, float] | None = option(
        "Amounts per record for {quality=payout}: benefit and loss of the publisher, and gain and "
        "cost of an attacker. Repeatable.",
        NUMBERS_BY_NAME,
        default=None,
        heading=Heading.DETAIL,
        flag="stake",
        metavar="benefit=1200",
        usual="benefit=1200, loss=300, gain=300, cost=4",
        place="quality.stakes",
    )
    attacker: Literal["prosecutor", "journalist"] | None = option(
        "Attacker for {quality=payout}: prosecutor (knows that a person is in the table) "
        "or journalist (does not know this; requires {population}).",
        choice("prosecutor", "journalist"),
        default=None,
        heading=Heading.DETAIL,
        metavar="WORD",
        usual="prosecutor",
        place="quality.attacker",
    )
    average_over: Literal["rows", "persons"] | None = option(
        "In loss and precision, give equal weight to each row (rows), or to each person (persons; "
        "requires {person}).",
        choice("rows", "persons"),
        default=None,
        heading=Heading.PEOPLE,
        metavar="WORD",
        usual="rows",
        place="quality.average_over",
    )
    min_level: Mapping[str, int] | None = option(
        "Lowest level of generalization for quasi-identifier A.",
        LEVELS_BY_NAME,
        default=None,
        heading=Heading.DETAIL,
        metavar="A=1",
        usual="0, the original values",
        place="levels.min",
    )
    max_level: Mapping[str, int] | None = option(
        "Highest level of generalization for quasi-identifier A. A lower limit keeps more detail.",
        LEVELS_BY_NAME,
        default=None,
        heading=Heading.DETAIL,
        common=("anonymize",),
        metavar="A=2",
        usual="the highest of its hierarchy",
        place="levels.max",
    )
    recoding: Literal["global", "cells", "local", "intervals"] = option(
        "Parts that may differ between groups: none (global), single suppressed cells (cells), the "
        "levels (local), or the intervals of values (intervals).",
        choice("global", "cells", "local", "intervals"),
        default="global",
        heading=Heading.DETAIL,
        common=("anonymize",),
        metavar="WORD",
        place="search.recoding",
        says="Parts that may differ between groups of records. ``global``: none; each column has "
        "one level. ``cells``: single cells can also be suppressed. ``local``: each group has its "
        "own levels of the hierarchies. ``intervals``: each group has its own intervals of values. "
        "Each step in this order loses less detail, and makes the release harder to analyze.",
    )
    intervals: Literal["text", "columns"] = option(
        "Form of intervals of numbers and dates: one column with text such as 34-39 (text), or two "
        "columns with the lowest and the highest value (columns).",
        choice("text", "columns"),
        default="text",
        heading=Heading.DETAIL,
        place="search.intervals",
        says="Form of the intervals of numbers and dates with {recoding=intervals}. ``text``: one "
        "column with text such as ``34-39``. ``columns``: two columns, NAME_low and NAME_high, "
        "with numbers or ISO dates. Both are missing if the interval is suppressed.",
    )
    search: str = option(
        "Search strategy: exact. The package roadstead-reproductions adds best-first, flash, ola, "
        "incognito, lattice-based, igreedy, datafly, genetic, k-optimize, partition-greedy, and "
        "partition-genetic.",
        TEXT,
        default="exact",
        heading=Heading.SEARCH,
        metavar="NAME",
        place="search.search",
        says="Search strategy: exact. The package roadstead-reproductions adds best-first, flash, "
        "ola, incognito, lattice-based, igreedy, datafly, and genetic. For partitions, it adds "
        "k-optimize, partition-greedy, and partition-genetic. These three strategies split the "
        "ordered values of each column, and use only the order of the values in a hierarchy.",
    )
    combinations: int = option(
        "Largest number of distinct combinations of quasi-identifiers to hold in memory. Above "
        "this number, Roadstead evaluates each policy with queries.",
        WHOLE,
        default=COMBINATIONS,
        heading=Heading.SEARCH,
        usual="20000000",
        place="search.combinations",
        check=checks.combinations,
        says="Largest number of distinct combinations of quasi-identifiers to hold in memory. "
        "Above this number, the engine that stores the table evaluates each policy. This is "
        "possible only with the exact search, k-anonymity, and Iyengar's loss. If people are "
        "counted, the limit applies to distinct combinations of a person and the "
        "quasi-identifiers, and Roadstead rejects a table that exceeds the limit.",
    )
    proof: Path | None = option(
        "New file for a proof that no allowed policy loses less detail, or that no recoding loses "
        "less than the bound. A small program checks the proof with the original table. The "
        "proof is as confidential as this table.",
        NEW_FILE,
        default=None,
        heading=Heading.SEARCH,
        says="New file for a proof that no allowed policy loses less detail. The program "
        "``roadstead-check-proof`` checks the proof with the original table. With the recodings "
        "``local`` and ``cells``, the proof shows that no recoding loses less than the bound, "
        "and ``roadstead-check-bound`` checks it. The proof is as confidential as the table, so "
        "only its owner can read it. If the search for a policy is stopped, no file is written.",
    )

    @staticmethod
    def progress_line(progress: Any) -> str:  # noqa: ANN401 - of the search
        """Describe the progress of the search on one line."""
        from roadstead.reports.terminal.anonymization import progress_line  # noqa: PLC0415 - heavy

        return progress_line(progress)
