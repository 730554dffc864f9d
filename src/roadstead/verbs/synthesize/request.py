"""Define the request for a differentially private release: budget, target, and public domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests.checks import wrong
from roadstead.requests.fields import VerbRequest, new_folder, option, output_switch, request
from roadstead.requests.forms import (
    DECLARATIONS,
    FOLDER,
    LEVELS_BY_NAME,
    NAMES,
    NUMBER,
    SETTING,
    TEXT,
    WHOLE,
)
from roadstead.requests.groups import Reading, TableInput
from roadstead.requests.headings import Heading
from roadstead.requests.origin import Origin
from roadstead.requests.outputs import EarlierPrivateReleases, VerifierPage
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

_NAMES = replace(NAMES, toml="tuple[AnyText, ...]")


def _no_seed(_: object, key: str) -> None:
    raise wrong(
        key,
        "a differentially private release cannot have a seed, because an attacker who knows the "
        "seed could remove the noise",
        "leave the seed out",
    )


@request
class PublicDomains(PersonColumn):
    """The public domains of the columns and item sets in a differentially private release."""

    origin: Origin = field(default_factory=Origin, compare=False)
    target: str | None = option(
        "Column that the release should predict best, for example an outcome.",
        SETTING,
        default=None,
        heading=Heading.COLUMNS,
        common=("synthesize", "evaluate"),
        metavar="COLUMN",
        place="synthesis.target",
    )
    classes: Sequence[str] | None = option(
        "All values that the target can have.",
        CLASSES,
        default=None,
        heading=Heading.DOMAINS,
        common=("synthesize",),
        place="synthesis.classes",
    )
    quasi: Sequence[str] | None = option(
        "Columns to release, in addition to the target and the sets.",
        _NAMES,
        default=None,
        heading=Heading.COLUMNS,
        common=("synthesize",),
        metavar="A,B,C",
        usual="all columns with a declared domain",
        place="synthesis.quasi",
        says="Columns to release, in addition to the target and the sets. The default is all "
        "columns with a declared domain.",
    )
    ranges: Mapping[str, Any] | None = option(
        "Range of numbers that column A can have, both ends included. Write LOW..HIGH/STEP if "
        "the step is not 1. Repeatable.",
        RANGES,
        default=None,
        heading=Heading.DOMAINS,
        common=("synthesize",),
        flag="range",
        metavar="A=LOW..HIGH",
        says='Range of numbers that a column can have, by column: ``"15..95"``, ``"10..60/0.1"``, '
        "or ``(10, 60, 0.1)``. Both ends are included.",
    )
    values: Mapping[str, Any] | None = option(
        "Values that column A can have, or items that a set can have. Repeatable.",
        VALUES,
        default=None,
        heading=Heading.DOMAINS,
        common=("synthesize",),
        metavar="A=X,Y,Z",
        says="Values that a column can have, or items that a set can have, by name: "
        '``{"sex": ["F", "M"]}``. Each value is written as in the table: text, a number, a '
        "Boolean, a date, or a timestamp.",
    )
    taxonomies: Mapping[str, Any] | None = option(
        "Tree of the values of column A, or of the items of a set: icd9, icd10, prefix:1+3 "
        "(with {values}), FILE, or FILE:CODE:GROUP+GROUP. Repeatable.",
        TAXONOMIES,
        default=None,
        heading=Heading.DOMAINS,
        common=("synthesize",),
        flag="taxonomy",
        metavar="A=TREE",
        says='Trees of values by name: ``"icd9"``, ``"icd10"``, ``"prefix:1+3"`` of the `values`, '
        "the path of a file (``FILE`` in the format of ARX, or ``FILE:CODE:GROUP+GROUP``), or a "
        "`Taxonomy`.",
    )
    fanout: int | Mapping[str, int] | None = option(
        "Largest number of children per node of a taxonomy. Write A=N for one column.",
        FANOUT,
        default=None,
        heading=Heading.DOMAINS,
        metavar="N",
        usual="4 for sets; no limit with {purpose=everything}",
        says="Largest number of children per node of a taxonomy, for all columns or by name. The "
        "default is 4 for sets; with the purpose ``everything``, any number is allowed.",
    )
    hierarchies: str | Path | None = option(
        "Folder of hierarchy files, named *_hierarchy_COLUMN.csv or COLUMN.csv.",
        FOLDER,
        default=None,
        heading=Heading.DOMAINS,
        place="hierarchy_folder",
    )
    declared: Mapping[str, Any] | None = option(
        "Hierarchies from the declarations of a project file. They are used if they list values "
        "or limits.",
        DECLARATIONS,
        default=None,
        command=False,
        place="hierarchies",
    )
    domains: Mapping[str, Any] | None = option(
        "Domains by column, from the declarations of a project file.",
        DOMAINS,
        default=None,
        command=False,
        place="domains",
    )
    base: Path | None = option(
        "Base folder for relative paths in hierarchy declarations.",
        FOLDER,
        default=None,
        command=False,
    )
    sets: Mapping[str, Any] | None = option(
        "Column S with a set of values per person, such as diagnoses. WHERE is a column, "
        "columns a+b+c, or another table: DATA:KEY:CODE[:ORDER].",
        SETS,
        default=None,
        heading=Heading.SETS,
        metavar="S=WHERE",
        place="sets",
        says=(
            "Columns with a set of values per person: the name of each set, and where its items "
            "are."
        ),
    )
    delimiter_in_sets: str | None = option(
        "Character between the items of a set.",
        TEXT,
        default=None,
        heading=Heading.SETS,
        metavar="CHAR",
    )
    sequences: Sequence[str] | None = option(
        "Sets whose items have an order.",
        NAMES,
        default=None,
        heading=Heading.SETS,
        flag="sequence",
        metavar="S",
    )
    longest: int | None = option(
        "Largest number of ordered items to use per person.",
        WHOLE,
        default=None,
        heading=Heading.SETS,
    )
    per_person: str | Mapping[str, str] | None = option(
        "Value to use for a person with several rows: the value that all rows share (same), the "
        "most frequent (most), or the first or last value in the order of a column (first:ORDER, "
        "last:ORDER). Missing values are skipped. Write A=RULE for one column.",
        PER_PERSON,
        default=None,
        heading=Heading.PEOPLE,
        common=("synthesize",),
        metavar="RULE",
        place="synthesis.per_person",
        says="Value to use if a person has several values, for all columns or by name: ``same`` "
        "(a person with different values is left out), ``most`` (the most frequent value), or "
        "``first:ORDER`` or ``last:ORDER`` (the first or last value, in the order of a column). "
        "Missing values are skipped in each column separately. A set gets all items from the "
        "person's rows.",
    )
    rows_per_person: int | None = option(
        "Use at most N rows per person, chosen at random, instead of combining the rows of each "
        "person.",
        WHOLE,
        default=None,
        heading=Heading.PEOPLE,
        place="synthesis.rows_per_person",
    )
    identifiers: Sequence[str] = option(
        "Direct identifiers. They are never released.",
        NAMES,
        default=(),
        command=False,
        place="roles.identifiers",
    )
    score: str | None = option(
        "Score of a specialization: max, max-gain, or info-gain.",
        SETTING,
        default=None,
        heading=Heading.DETAIL,
        metavar="NAME",
        usual="max",
        place="synthesis.score",
    )
    outside: str | None = option(
        "Records outside the domains: leave them out (leave-out), or stop with an error (stop).",
        SETTING,
        default=None,
        heading=Heading.DOMAINS,
        metavar="WORD",
        usual="leave-out",
        place="synthesis.outside",
    )


@request
class SynthesizeRequest(
    VerbRequest["SynthesisFinding"],
    TableInput,
    PublicDomains,
    EarlierPrivateReleases,
    VerifierPage,
    Reading,
):
    """Make a differentially private release.

    The domains of the columns are public: you declare them, and they become part of the release.
    Roadstead never reads them from the table.

    Raises
    ------
    InputError
        When the request or the table is wrong.
    """

    verb: ClassVar = "synthesize"
    example: ClassVar = "{project=private.toml} {epsilon=1} {out=private}"
    epsilon: Any = option(
        "Privacy budget, above 0, for example 1 or 1/3. A smaller budget adds more noise and "
        "protects more.",
        SETTING,
        default=None,
        heading=Heading.PROTECTION,
        common=True,
        metavar="E",
        place="synthesis.epsilon",
        says='Privacy budget, above 0: a number, or text such as ``"1/3"``. A number is read '
        "exactly as written: 0.1 is 1/10. A smaller budget adds more noise and protects more.",
    )
    purpose: str | None = option(
        "Purpose of the release: predict one column (target), count the values of all columns "
        "(everything), or release a generalized sample of the records (sample).",
        SETTING,
        default=None,
        heading=Heading.PROTECTION,
        common=True,
        flag="for",
        metavar="WHAT",
        usual="target",
        place="synthesis.for",
        says="Purpose of the release. ``target``: predict the target. ``everything``: also release "
        "margins with error bars; the target is then optional. ``sample``: release a random, "
        "generalized sample of the records; this requires a delta.",
    )
    delta: float | None = option(
        "For {purpose=sample}: the delta of (epsilon, delta)-differential privacy, above 0 and "
        "below 1.",
        NUMBER,
        default=None,
        heading=Heading.SAMPLE,
        metavar="D",
        place="synthesis.delta",
    )
    levels: Mapping[str, int] | None = option(
        "For {purpose=sample}: level of generalization of column A; 0 is the finest.",
        LEVELS_BY_NAME,
        default=None,
        heading=Heading.SAMPLE,
        metavar="A=N",
        usual="chosen with differential privacy",
        place="synthesis.levels",
    )
    share: Any = option(
        "For {purpose=sample}: share of epsilon to spend on the choice of levels.",
        SETTING,
        default=None,
        heading=Heading.SAMPLE,
        metavar="SHARE",
        usual="0.1",
        place="synthesis.share",
    )
    specializations: Any = option(
        "Number of specializations, 0 to 1000, or auto (chosen with differential privacy). More "
        "specializations keep finer values, but add more noise.",
        SETTING,
        default=None,
        heading=Heading.DETAIL,
        common=True,
        metavar="N",
        usual="auto",
        place="synthesis.specializations",
    )
    seed: str | None = option(
        "Not allowed: an attacker who knows the seed could remove the noise.",
        TEXT,
        default=None,
        heading=Heading.GENERAL,
        metavar="N",
        check=_no_seed,
    )
    out: Path | None = new_folder("New folder for the release.", default=None)
    force: bool = output_switch("Replace an existing release.", default=False)

    @staticmethod
    def progress_line(progress: Any) -> str:  # noqa: ANN401 - of the synthesis
        """Describe the progress on one line."""
        return f"synthesizing {progress.seconds:.0f} s: {progress.step}"
