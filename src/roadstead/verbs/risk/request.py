"""Define the request to measure risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests.fields import VerbRequest, new_folder, option, output_switch, request
from roadstead.requests.forms import COLUMNS, NUMBER, POLICY, SWITCH, YES_OR_NO
from roadstead.requests.groups import (
    CodebookOption,
    CountedPeople,
    QuasiIdentifiers,
    Reading,
    TableInput,
)
from roadstead.requests.headings import Heading
from roadstead.requests.origin import Project
from roadstead.requests.persons import PersonKnowledge

if TYPE_CHECKING:
    from roadstead.verbs.risk.result import RiskFinding  # noqa: F401 - in a text below


@request
class RiskRequest(
    VerbRequest["RiskFinding"],
    TableInput,
    QuasiIdentifiers,
    PersonKnowledge,
    CountedPeople,
    Reading,
    CodebookOption,
):
    """Measure the re-identification risk of a table or a policy.

    If you give a policy and no quasi-identifiers, Roadstead uses the policy's quasi-identifiers,
    its person ID column, and its number of known rows.

    Raises
    ------
    InputError
        When the request or the table is wrong.
    """

    verb: ClassVar = "risk"
    example: ClassVar = "patients.csv {quasi=age,sex,zip} {out=risk}"
    sampling_fraction: float | None = option(
        "Share of the population that is in the table, above 0 and at most 1. Roadstead uses this "
        "share to estimate risks if you do not have {population}.",
        NUMBER,
        default=None,
        heading=Heading.POPULATION,
        common=True,
        metavar="SHARE",
        place="sampling_fraction",
    )
    threshold: float = option(
        "Highest acceptable risk per record, or per person, above 0 and below 1.",
        NUMBER,
        default=0.2,
        heading=Heading.PROTECTION,
        common=True,
        metavar="RISK",
    )
    policy: Any = option(
        "Policy (policy.json). Roadstead measures the risk of this table with and without the "
        "policy.",
        POLICY,
        default=None,
        heading=Heading.PROTECTION,
        common=True,
        metavar="FILE",
        says="Policy, or the path of its file policy.json. Roadstead measures the risk of this "
        "table with and without the policy.",
    )
    identifiers: Sequence[str] = option(
        "Direct identifiers. Needed only if the table looks like a table of counts, but each "
        "record is a person. In this case, name the columns that look like counts.",
        COLUMNS,
        default=(),
        heading=Heading.COLUMNS,
        place="roles.identifiers",
    )
    release_anyway: Sequence[str] = option(
        "Columns that will be released although they look like identifiers or counts. If the "
        "table looks like a table of counts, this option has the same effect as {identifiers}.",
        COLUMNS,
        default=(),
        heading=Heading.COLUMNS,
        place="roles.release_anyway",
    )
    advise: bool = option(
        "Suggest which attacker to assume, and which privacy model to use.",
        SWITCH,
        default=False,
        heading=Heading.ADVICE,
        common=True,
    )
    whole_population: bool | None = option(
        "Whether the table contains its whole population, or a large part of it.",
        YES_OR_NO,
        default=None,
        heading=Heading.ADVICE,
        common=False,
        usual="asked on the terminal",
        place="advice.whole_population",
    )
    membership_known: bool | None = option(
        "Whether outsiders can find out who is in the table.",
        YES_OR_NO,
        default=None,
        heading=Heading.ADVICE,
        common=False,
        usual="asked on the terminal",
        place="advice.membership_known",
    )
    self_revealing: bool | None = option(
        "Whether people say publicly that they are in the table.",
        YES_OR_NO,
        default=None,
        heading=Heading.ADVICE,
        common=False,
        usual="asked on the terminal",
        place="advice.self_revealing",
    )
    out: Path | None = new_folder("New folder for the page and the figures.", default=None)
    force: bool = output_switch("Replace an earlier assessment.", default=False)

    @classmethod
    def joins(
        cls, given: Mapping[str, Any], _project: Project, under: dict[str, Any]
    ) -> dict[str, Any]:
        """Drop values of a project file that a given option replaces.

        A given population or sampling fraction replaces both values of the project file. A given
        policy replaces the quasi-identifiers of the project file.
        """
        dropped = set()
        if given.get("sampling_fraction") is not None or given.get("population") is not None:
            dropped = {"sampling_fraction", "population", "population_counts"}
        if given.get("policy") is not None:
            dropped |= {"quasi", "knows"}
        return {key: value for key, value in under.items() if key not in dropped}
