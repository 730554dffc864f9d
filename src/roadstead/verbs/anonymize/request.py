"""What an anonymization is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from roadstead.privacy.registry import MADE_FOR_PERSONS, PRIVACY_MODELS
from roadstead.quality.words import QUALITY_MODELS
from roadstead.requests import checks
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import (
    LEVELS_BY_NAME,
    MEASURE,
    MODELS,
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
    ColumnRoles,
    Hierarchies,
    LimitedSearch,
    NewRelease,
    People,
    Reading,
    TableInput,
)
from roadstead.requests.persons import PersonDates, PersonProtection, WholeDatabase

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.result import Anonymization  # noqa: F401 - in a text below

_ASKED_FOR = [kind for kind in PRIVACY_MODELS.own[1:] if kind not in MADE_FOR_PERSONS]
COMBINATIONS = 20_000_000
"""Most distinct combinations of quasi-identifiers that are held in memory, if nothing is said."""


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
):
    """Release the table under the best policy; write release, policy, certificate and report.

    Raises
    ------
    InputError
        When the request or the table is wrong.
    NoPolicyError
        When no policy satisfies the models; says what stands in the way and what would do.
    """

    verb: ClassVar = "anonymize"
    stopping: ClassVar = (
        "stopping the search; the best policy so far is kept (Ctrl-C again to end)",
        "  (Ctrl-C keeps the best)",
    )
    k: int | None = option(
        "Smallest class to be released.",
        WHOLE,
        default=None,
        usual="5",
        place="privacy.k",
        says="Every released record shares its quasi-identifiers with at least k - 1 others. Where "
        "it is not given it is 5, also alongside other models, and the result says so; but with "
        "k-map, uniqueness or profitability, which ask for less, there is none alongside. With "
        "another model, 1 asks for none.",
    )
    privacy: Sequence[Any] = option(
        "Further privacy model that must hold, such as t-closeness:t=0.2; repeatable. Models: "
        f"{', '.join(_ASKED_FOR)}. Those of k-map, uniqueness and profitability "
        "replace k-anonymity unless {k} asks for it.",
        MODELS,
        default=(),
        metavar="MODEL:A=1,B=2",
        place="privacy.models",
        says='Further privacy models, each as a model or as its settings: ``{{"kind": '
        '"t-closeness", "column": "diagnosis", "t": 0.2}}``. All of them must hold.',
    )
    treat: Sequence[Any] = option(
        "What becomes of a released column that is no quasi-identifier: "
        "microaggregation:column=A,k=5 (also columns=A+B, function=mean, median, mode or interval, "
        "within=classes, groups=whole) or rounding:column=A,base=5 (also low, high); repeatable.",
        TREATMENTS,
        default=(),
        metavar="KIND:A=1,B=2",
        place="treatments",
        check=checks.tables,
        says="What becomes of released columns that are no quasi-identifiers, each as settings: "
        '``{{"kind": "microaggregation", "columns": ["glucose"], "k": 5}}`` puts the mean (or '
        "``function``: median, mode, interval) of groups of at least k records in the place of "
        "their values, ``within`` the table or classes; "
        '``{{"kind": "rounding", "column": "weight", "base": 5}}`` rounds, with bounds ``low`` and '
        "``high``. No value is drawn at random.",
    )
    suppression: float = option(
        "Largest share of records to suppress.",
        NUMBER,
        default=0.05,
        usual="0.05",
        place="privacy.suppression",
        check=checks.suppression,
    )
    suppressed: Literal["mask", "drop"] = option(
        "Suppressed records: mask (keep with *) or drop.",
        choice("mask", "drop"),
        default="mask",
        usual="mask",
        place="privacy.suppressed",
    )
    count_records: bool = option(
        "Count records although a direct identifier numbers people who have several.",
        SWITCH,
        default=False,
        place="persons.count_records",
        says="Whether records are counted although a column of `identifiers` numbers people who "
        "have several records. Without it, such a request is refused if a group has fewer than k "
        "people, with the advice to name the column as `person`.",
    )
    quality: str = option(
        f"Loss to be minimized: {', '.join(QUALITY_MODELS.own)}.",
        MEASURE,
        default="loss",
        metavar="MEASURE",
        usual="loss",
        place="quality.quality",
        says="The loss to be minimized, by name; or a function of the widths of a record's labels, "
        "how many values each covers, that grows with each of them.",
    )
    aggregate: str = option(
        "Mean over attributes of loss, precision and entropy: geometric, arithmetic, sum, "
        "maximum, rank.",
        TEXT,
        default="geometric",
        metavar="MEAN",
        usual="geometric",
        place="quality.aggregate",
    )
    target: str | None = option(
        "Column that {quality=classification} predicts.",
        TEXT,
        default=None,
        metavar="D",
        place="quality.target",
    )
    weights: Mapping[str, float] | None = option(
        "Weight of an attribute in the loss.",
        NUMBERS_BY_NAME,
        default=None,
        flag="weight",
        metavar="A=2",
        usual="1",
        place="quality.weights",
    )
    gs_factor: float = option(
        "What generalization and suppression count in loss, precision, entropy and bits: 0.5 both "
        "in full, 0 generalization alone, 1 suppression alone.",
        NUMBER,
        default=0.5,
        metavar="SHARE",
        usual="0.5",
        place="quality.gs_factor",
    )
    gs_formula: Literal["roadstead", "arx"] = option(
        "Loss of a suppressed record in loss and precision with a {gs_factor} below 0.5: "
        "roadstead charges 2 times the factor; arx charges the loss as generalized, and 2 times "
        "the factor of the rest.",
        choice("roadstead", "arx"),
        default="roadstead",
        usual="roadstead",
        place="quality.gs_formula",
    )
    monotone: bool = option(
        "Count suppressed records as if they were released as generalized: loss, precision, "
        "bits, entropy, discernibility.",
        YES_OR_NO,
        default=False,
        usual="no",
        place="quality.monotone",
    )
    stakes: Mapping[str, float] | None = option(
        "Stake of {quality=payout}: benefit and loss of the publisher for a record, gain and cost "
        "of an attacker.",
        NUMBERS_BY_NAME,
        default=None,
        flag="stake",
        metavar="benefit=1200",
        usual="benefit=1200, loss=300, gain=300, cost=4",
        place="quality.stakes",
    )
    attacker: Literal["prosecutor", "journalist"] | None = option(
        "Against whom {quality=payout} is reckoned: who knows who is in the table, or does not.",
        choice("prosecutor", "journalist"),
        default=None,
        usual="prosecutor",
        place="quality.attacker",
    )
    average_over: Literal["rows", "persons"] | None = option(
        "What counts alike in the loss: rows, or persons, however many rows each has.",
        choice("rows", "persons"),
        default=None,
        usual="rows",
        place="quality.average_over",
    )
    min_level: Mapping[str, int] | None = option(
        "Lowest level allowed for an attribute.",
        LEVELS_BY_NAME,
        default=None,
        metavar="A=1",
        place="levels.min",
    )
    max_level: Mapping[str, int] | None = option(
        "Highest level allowed for an attribute.",
        LEVELS_BY_NAME,
        default=None,
        metavar="A=2",
        place="levels.max",
    )
    recoding: Literal["global", "cells", "local", "intervals"] = option(
        "What may differ from class to class: nothing (global), which cells are suppressed "
        "(cells), the levels (local), or intervals of values (intervals).",
        choice("global", "cells", "local", "intervals"),
        default="global",
        usual="global",
        place="search.recoding",
        says="What may differ from one class of records to another. ``global``: nothing, each "
        "column has one level. ``cells``: single cells are suppressed alongside. ``local``: every "
        "class has its own levels of the hierarchies. ``intervals``: every class has its own "
        "intervals of values. The further down, the less is lost, and the harder it is to analyze.",
    )
    intervals: Literal["text", "columns"] = option(
        "How intervals of numbers and dates stand in the release: as one text (text), or as two "
        "columns, the lowest and the highest value (columns).",
        choice("text", "columns"),
        default="text",
        usual="text",
        place="search.intervals",
        says="How {recoding=intervals} releases numbers and dates. ``text``: one column, such as "
        "``34-39``. ``columns``: two, NAME_low and NAME_high, with numbers and ISO dates in them; "
        "both are missing where nothing is shown.",
    )
    search: str = option(
        "Search strategy: exact; with roadstead-reproductions also best-first, flash, ola, "
        "incognito, lattice-based, igreedy, datafly, genetic; k-optimize, partition-greedy, "
        "partition-genetic.",
        TEXT,
        default="exact",
        metavar="SEARCH",
        usual="exact",
        place="search.search",
        says="The search strategy. Those of partitions cut the ordered domain of each attribute; "
        "of a hierarchy they take the order of its values alone.",
    )
    combinations: int = option(
        "Most distinct combinations held in memory; where there are more, policies are evaluated "
        "by queries.",
        WHOLE,
        default=COMBINATIONS,
        metavar="N",
        usual="20000000",
        place="search.combinations",
        check=checks.combinations,
        says="Most distinct combinations of the quasi-identifiers that are held in memory. Where "
        "there are more, policies are evaluated in the engine that has the table, by exact search "
        "for k-anonymity under Iyengar's loss. Where persons are counted, most distinct "
        "combinations of a person and the quasi-identifiers; more are refused.",
    )

    @staticmethod
    def progress_line(progress: Any) -> str:  # noqa: ANN401 - of the search
        """Say on one line how far the search is."""
        from roadstead.verbs.anonymize.words import progress_line  # noqa: PLC0415 - heavy

        return progress_line(progress)
