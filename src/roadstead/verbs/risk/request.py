"""What an assessment of risk is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from roadstead.requests.fields import VerbRequest, option, request
from roadstead.requests.forms import FILE, NEW_FOLDER, NUMBER, SWITCH, YES_OR_NO
from roadstead.requests.groups import CountedPeople, QuasiIdentifiers, Reading, TableInput
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
):
    """Say how likely records are re-identified, by whom, and what makes it so.

    Where a policy is given and no quasi-identifier, they are the policy's; so is the column that
    says whose each record is, and how many rows of a person may be known.

    Raises
    ------
    InputError
        When the request or the table is wrong.
    """

    verb: ClassVar = "risk"
    sampling_fraction: float | None = option(
        "Share of the population that is in the table, to estimate risks from.",
        NUMBER,
        default=None,
        metavar="SHARE",
        place="sampling_fraction",
    )
    threshold: float = option(
        "Acceptable risk of a record, or of a person.",
        NUMBER,
        default=0.2,
        metavar="RISK",
        usual="0.2",
    )
    policy: Any = option(
        "A policy.json, to be assessed alongside the table.",
        FILE,
        default=None,
        metavar="POLICY",
        says="A policy, or the path of its document, to be assessed alongside the table.",
    )
    advise: bool = option(
        "Say which attacker applies, and which model follows.", SWITCH, default=False
    )
    whole_population: bool | None = option(
        "Whether the table holds all or a large part of its population.",
        YES_OR_NO,
        default=None,
        place="advice.whole_population",
    )
    membership_known: bool | None = option(
        "Whether others can find out who is in the table.",
        YES_OR_NO,
        default=None,
        place="advice.membership_known",
    )
    self_revealing: bool | None = option(
        "Whether people tell others that they are in the table.",
        YES_OR_NO,
        default=None,
        place="advice.self_revealing",
    )
    out: Path | None = option(
        "New folder for page and figures.", NEW_FOLDER, default=None, metavar="DIR"
    )
    force: bool = option("Replace a former assessment.", SWITCH, default=False)

    @classmethod
    def joins(
        cls, given: Mapping[str, Any], _project: Project, under: dict[str, Any]
    ) -> dict[str, Any]:
        """Leave out what a project file says where something that was set takes its place.

        A population and a sampling fraction go together, and either goes before both of the file;
        a policy has quasi-identifiers of its own.
        """
        dropped = set()
        if given.get("sampling_fraction") is not None or given.get("population") is not None:
            dropped = {"sampling_fraction", "population", "population_counts"}
        if given.get("policy") is not None:
            dropped |= {"quasi", "knows"}
        return {key: value for key, value in under.items() if key not in dropped}
