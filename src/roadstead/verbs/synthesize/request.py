"""The fields of a request for a private release: a budget, a target and public domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests.checks import path, wrong
from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import (
    DECLARATIONS,
    FOLDER,
    LEVELS_BY_NAME,
    NAMES,
    NEW_FOLDER,
    NUMBER,
    SWITCH,
    TEXT,
    WHOLE,
    Form,
)
from roadstead.requests.groups import EarlierReleases, Reading, TableInput
from roadstead.requests.origin import Origin
from roadstead.requests.persons import PersonColumn
from roadstead.verbs.synthesize.texts import (
    CLASSES,
    DOMAINS,
    FANOUT,
    PER_PERSON,
    RANGES,
    SETS,
    TAXONOMIES,
    VALUES,
)

if TYPE_CHECKING:
    from roadstead.verbs.synthesize.result import SynthesisFinding  # noqa: F401 - in a text below

SETTING = Form("text", "AnyText")
_NAMES = replace(NAMES, toml="tuple[AnyText, ...]")


def _no_seed(_: object, key: str) -> None:
    raise wrong(
        key,
        "a private release has no seed, because whoever knew it could take the noise off again",
        "leave it out",
    )


@request
class PublicDomains(PersonColumn):
    """What is released privately: public domains of attributes, and sets."""

    origin: Origin = field(default_factory=Origin, compare=False)
    target: str | None = option(
        "Column that the release is to tell most of.",
        SETTING,
        default=None,
        metavar="D",
        place="synthesis.target",
    )
    classes: Sequence[str] | None = option(
        "All that the target can hold.",
        CLASSES,
        default=None,
        metavar="A,B",
        place="synthesis.classes",
    )
    quasi: Sequence[str] | None = option(
        "Attributes to be released.",
        _NAMES,
        default=None,
        metavar="A,B,C",
        usual="all with a declared domain",
        place="synthesis.quasi",
        says="The attributes to be released alongside target and sets; all with a declared domain "
        "if left out.",
    )
    ranges: Any = option(
        "Numbers a column can hold, ends included; LOW..HIGH/STEP for steps other than 1.",
        RANGES,
        default=None,
        flag="range",
        metavar="A=LOW..HIGH",
        says='Numbers a column can hold, by column: ``"15..95"``, ``"10..60/0.1"`` or '
        "``(10, 60, 0.1)``.",
    )
    values: Any = option(
        "Values a column, or the items of a set, can have.",
        VALUES,
        default=None,
        metavar="A=X,Y,Z",
    )
    taxonomies: Any = option(
        "Tree of a column's values or a set's items: icd9, icd10, prefix:1+3 (with {values}), "
        "FILE, FILE:CODE:GROUP+GROUP.",
        TAXONOMIES,
        default=None,
        flag="taxonomy",
        metavar="A=TAXONOMY",
        says='Trees of values by name: ``"icd9"``, ``"icd10"``, ``"prefix:1+3"`` of the `values`, '
        "the path of a file (``FILE`` in ARX's form, or ``FILE:CODE:GROUP+GROUP``), or a "
        "`Taxonomy`.",
    )
    fanout: Any = option(
        "Most children of a node of a taxonomy; A=N for one.",
        FANOUT,
        default=None,
        metavar="N",
        usual="4 for sets, and none for everything",
        says="The most children that a node of a taxonomy may have, for all or by name; 4 for sets "
        "if left out, and any number where the release is for everything.",
    )
    hierarchies: str | Path | None = option(
        "Folder of hierarchy files: *_hierarchy_<attribute>.csv or <attribute>.csv.",
        FOLDER,
        default=None,
        metavar="DIR",
        place="hierarchy_folder",
    )
    declared: Mapping[str, Any] | None = option(
        "Hierarchies as a project file declares them; used where they list values or ends.",
        DECLARATIONS,
        default=None,
        command=False,
        place="hierarchies",
    )
    domains: Mapping[str, Any] | None = option(
        "Domains as a project file declares them, by column.",
        DOMAINS,
        default=None,
        command=False,
        place="domains",
    )
    base: Path | None = option(
        "Where relative paths in declarations start.",
        FOLDER,
        default=None,
        command=False,
        check=path,
    )
    sets: Any = option(
        "Set-valued attribute: a column, columns a+b+c, or DATA:KEY:CODE[:ORDER].",
        SETS,
        default=None,
        metavar="S=WHERE",
        place="sets",
        says="Set-valued attributes by name: where their items are.",
    )
    delimiter_in_sets: str | None = option(
        "Character between the items of a set.", TEXT, default=None
    )
    sequences: Sequence[str] | None = option(
        "Sets whose items have an order.", NAMES, default=None, flag="sequence", metavar="S"
    )
    longest: int | None = option("How many items in order count.", WHOLE, default=None, metavar="N")
    per_person: Any = option(
        "Which value of a person with several counts: same, most, first:ORDER, last:ORDER; A=WHICH "
        "for one column.",
        PER_PERSON,
        default=None,
        metavar="WHICH",
        place="synthesis.per_person",
        says="Which of a person's values counts, for all columns or by name: ``same`` (a person "
        "with several is left out), ``most`` for the most frequent, ``first:ORDER`` or "
        "``last:ORDER`` by a column that orders the rows. Items of sets are all gathered.",
    )
    rows_per_person: int | None = option(
        "Use at most C rows of each person, chosen at random, instead of one record of all.",
        WHOLE,
        default=None,
        metavar="C",
        place="synthesis.rows_per_person",
    )
    identifiers: Sequence[str] = option(
        "Columns that are never released.",
        NAMES,
        default=(),
        command=False,
        place="roles.identifiers",
    )
    score: str | None = option(
        "Worth of a specialization: max, max-gain, info-gain.",
        SETTING,
        default=None,
        usual="max",
        place="synthesis.score",
    )
    outside: str | None = option(
        "Records outside the domains: leave-out or stop.",
        SETTING,
        default=None,
        usual="leave-out",
        place="synthesis.outside",
    )


@request
class SynthesizeRequest(
    VerbRequest["SynthesisFinding"], TableInput, PublicDomains, EarlierReleases, Reading
):
    """Make a differentially private release.

    Domains are public: they are declared, never read off the table, and become part of the release.

    Raises
    ------
    InputError
        When the request or the table is wrong.
    """

    verb: ClassVar = "synthesize"
    epsilon: Any = option(
        "The privacy budget, such as 1 or 1/3.",
        SETTING,
        default=None,
        metavar="E",
        place="synthesis.epsilon",
        says='The privacy budget, above 0; a number, or a text such as ``"1/3"``. It is read as a '
        "decimal.",
    )
    purpose: str | None = option(
        "What the release is for: target, to tell one column, everything, or sample, true records.",
        SETTING,
        default=None,
        flag="for",
        metavar="WHAT",
        usual="target",
        place="synthesis.for",
        says="What the release is for: ``target``, to tell the target; ``everything``: then "
        "margins are released too, with error bars, and a target may be left out; or ``sample``: a "
        "random sample of the records, generalized, with a delta.",
    )
    delta: float | None = option(
        "Of a sample, how much may be told beyond epsilon: a probability.",
        NUMBER,
        default=None,
        metavar="D",
        place="synthesis.delta",
    )
    levels: Mapping[str, int] | None = option(
        "Of a sample, the level of each column.",
        LEVELS_BY_NAME,
        default=None,
        metavar="A=N",
        usual="chosen privately",
        place="synthesis.levels",
    )
    share: Any = option(
        "Of a sample, the share of epsilon for choosing levels.",
        SETTING,
        default=None,
        metavar="S",
        usual="0.1",
        place="synthesis.share",
    )
    specializations: Any = option(
        "How many specializations, or auto: chosen privately.",
        SETTING,
        default=None,
        metavar="N",
        usual="auto",
        place="synthesis.specializations",
    )
    seed: str | None = option(
        "Refused: it could take the noise off again.", TEXT, default=None, check=_no_seed
    )
    out: Path | None = option(
        "New folder for the release.", NEW_FOLDER, default=None, metavar="DIR"
    )
    force: bool = option("Replace an existing release.", SWITCH, default=False)
    ledger_epsilon: Any = option(
        "Most epsilon that all private releases of these people may have together.",
        SETTING,
        default=None,
        metavar="E",
        usual="what was set last",
        place="release.epsilon",
        says="Most epsilon that all private releases of these people may have together; read as "
        "`epsilon` is. What was set last holds where nothing is said.",
    )

    @staticmethod
    def progress_line(progress: Any) -> str:  # noqa: ANN401 - of the synthesis
        """Say on one line how far it is."""
        return f"synthesizing {progress.seconds:.0f} s: {progress.step}"
