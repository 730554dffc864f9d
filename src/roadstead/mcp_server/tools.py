"""Define the tools.

Each tool runs a request of `verbs` and copies fields of the result to an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_type_hints

from roadstead.jobs import Observer
from roadstead.mcp_server.answers import (
    AnonymizeAnswer,
    AnonymizeArguments,
    CheckAnswer,
    ColumnAnswer,
    FrontierAnswer,
    FrontierArguments,
    GateAnswer,
    GateArguments,
    IdentifierAnswer,
    PointAnswer,
    RiskAnswer,
    RiskArguments,
    ScanAnswer,
    ScanArguments,
    ToolAnswer,
    ToolArguments,
    VerifyAnswer,
    VerifyArguments,
    WithheldAnswer,
)
from roadstead.mcp_server.tables import Allowed
from roadstead.release.verification.checks import Check
from roadstead.rooms import has_command, part_of
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.frontier.request import FrontierRequest
from roadstead.verbs.risk.request import RiskRequest
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.verify.request import VerifyRequest

Unit = Literal["record", "person"]
Work = TypeVar("Work", bound=Callable[..., ToolAnswer])
_KINDS = ("string", "int", "uint", "float", "decimal", "boolean", "date", "timestamp", "time")


@dataclass(frozen=True)
class AgentTool:
    """A tool: its purpose, its arguments, its answer, and whether the tool writes files."""

    name: str
    title: str
    describes: str
    takes: type[ToolArguments]
    answer: type[ToolAnswer]
    work: Callable[[Any, Allowed, Observer], ToolAnswer]
    writes: bool = False


TOOLS: list[AgentTool] = []


def _tool(title: str, describes: str, *, writes: bool = False) -> Callable[[Work], Work]:
    """Make a tool from a function, and read the types of its arguments and its answer.

    The function has the name of its command. If the room of the command is missing, so is the tool.
    """

    def made(work: Work) -> Work:
        types = get_type_hints(work)
        own = (types["given"], types["return"], work)
        if has_command(work.__name__):
            TOOLS.append(AgentTool(work.__name__, title, describes, *own, writes=writes))
        return work

    return made


@_tool(
    "Columns of a table",
    "List the columns of a table, with suggested roles and numbers of distinct values. The "
    "answer also shows which columns look like identifiers on the Safe Harbor list. It never "
    "contains a value from the table. A person must decide the roles.",
)
def scan(given: ScanArguments, allowed: Allowed, observer: Observer) -> ScanAnswer:
    """Return each column, with its suggested role and its number of distinct values."""
    found = ScanRequest(allowed.table(given.data, observer)).run(observer)
    return ScanAnswer(
        records=found.records,
        columns=tuple(
            ColumnAnswer(
                name=one.name,
                role=one.role,
                type=_kind(one.profile.type),
                distinct=one.profile.distinct,
                missing=one.profile.missing,
            )
            for one in found.columns
        ),
        person=found.person,
        undecided=tuple(found.names(None)),
        safe_harbor=tuple(
            IdentifierAnswer(column=one.column, number=one.number, identifier=one.identifier)
            for one in found.safe_harbor
        ),
    )


def _kind(text: str) -> str:
    """Return only the kind of a type, because the text of an enumeration type lists its values."""
    bare = text.lstrip("!").lower()
    return next((kind for kind in _KINDS if bare.startswith(kind)), "other")


@_tool(
    "Risk of a table",
    "Measure the risk that an attacker who knows the quasi-identifiers re-identifies a record "
    "or a person.",
)
def risk(given: RiskArguments, allowed: Allowed, observer: Observer) -> RiskAnswer:
    """Return the risk that an attacker finds a record by the quasi-identifiers."""
    source = allowed.table(given.data, observer)
    found = RiskRequest(
        source, quasi=given.quasi, person=given.person, threshold=given.threshold
    ).run(observer)
    own = found.prosecutor
    return RiskAnswer(
        records=found.records,
        unit=_unit(given.person),
        threshold=found.threshold,
        maximum=own.maximum,
        average=own.average,
        share_above_threshold=own.share_above_threshold,
        smallest_class=own.smallest,
    )


@_tool(
    "Risk against loss",
    "Find the policies that no other policy beats in both risk and loss. The answer contains "
    "the risk and the loss of each policy, and states what the search proves.",
)
def frontier(given: FrontierArguments, allowed: Allowed, observer: Observer) -> FrontierAnswer:
    """Return the policies that no other policy beats in both risk and loss."""
    people = None if given.population is None else str(allowed.existing(given.population))
    source = allowed.table(given.data, observer)
    found = FrontierRequest(
        source,
        quasi=given.quasi,
        person=given.person,
        population=people,
        time_limit=given.time_limit,
    ).run(observer)
    better = set(found.dominating)
    return FrontierAnswer(
        records=found.records,
        unit=_unit(given.person),
        points=tuple(
            PointAnswer(index=at, risk=one.risk, loss=one.loss, dominates_safe_harbor=at in better)
            for at, one in enumerate(found.members)
        ),
        area=found.area,
        safe_harbor=None
        if found.safe_harbor is None
        else (found.safe_harbor.point.risk, found.safe_harbor.point.loss),
        search=found.search.name,
        evaluated=found.search.evaluated,
        gap=found.search.gap,
        ending=found.search.ending,
    )


@_tool(
    "Release a table",
    "Write a k-anonymous release to a new folder, and verify it. Columns without a role are "
    "not released. The answer contains counts, risk, and loss, and states what the search "
    "proves.",
    writes=True,
)
def anonymize(given: AnonymizeArguments, allowed: Allowed, observer: Observer) -> AnonymizeAnswer:
    """Find the policy with the lowest loss, apply it, and write a verified release."""
    out = allowed.new(given.out)
    source = allowed.table(given.data, observer)
    found = AnonymizeRequest(
        source,
        quasi=given.quasi,
        sensitive=given.sensitive,
        unchanged=given.unchanged,
        person=given.person,
        k=given.k,
        suppression=given.suppression,
        suppressed="mask" if given.person is None else "drop",
        time_limit=given.time_limit,
    ).run(observer)
    if observer.stopped():
        raise KeyboardInterrupt
    verification = found.write(out)
    counts, left = found.draft.counts, found.draft.risk
    return AnonymizeAnswer(
        records=counts.records,
        unit=_unit(given.person),
        released=counts.released,
        suppressed=counts.suppressed,
        levels=found.levels,
        columns_withheld=tuple(
            WithheldAnswer(column=one.name, why=one.why, release_with=one.releasing)
            for one in found.decided.withheld
        ),
        risk_maximum=left.maximum,
        risk_average=left.average,
        risk_maximum_of_masked=left.maximum_of_masked,
        risk_maximum_before=left.maximum_before,
        risk_average_before=left.average_before,
        loss=found.loss,
        lower_bound=found.outcome.lower_bound,
        gap=found.outcome.gap,
        optimal=found.optimal,
        ending=found.outcome.ending,
        verified=verification.passed,
        promised=verification.promised,
        checks=len(verification.checks),
        out=str(out),
    )


@_tool(
    "Verify a release",
    "Check a release, using only its files. If the release is signed, also check the signature.",
)
def verify(given: VerifyArguments, allowed: Allowed, observer: Observer) -> VerifyAnswer:
    """Check a release with only its own files, as a recipient can."""
    found = VerifyRequest(allowed.existing(given.release)).run(observer)
    return VerifyAnswer(
        passed=found.passed,
        promised=found.promised,
        promise=found.terms.clause,
        **found.terms.risks,
        checks=_checks(found.checks),
        signature=None if found.signature is None else found.signature.state,
    )


@_tool(
    "Check a release against rules",
    "Verify a release, and check it against the rules in a file such as gate.toml.",
)
def gate(given: GateArguments, allowed: Allowed, observer: Observer) -> GateAnswer:
    """Verify a release, and check the release against rules."""
    release, policy = allowed.existing(given.release), allowed.existing(given.policy)
    signature = part_of("the gate", "release.gate.policy:read_gate")(policy).signature
    for key in () if signature is None else signature.keys:
        allowed.existing(str(policy.parent / key))
    request = part_of("the gate", "verbs.gate.request:GateRequest")
    found = request(release, rules=policy).run(observer)
    return GateAnswer(
        passed=found.passed,
        rules=_checks(found.rules),
        requires_signature=found.requires_signature,
    )


def _checks(found: tuple[Check, ...]) -> tuple[CheckAnswer, ...]:
    """Return the names of the checks. Omit the evidence, because it may quote a cell."""
    return tuple(CheckAnswer(check=one.check, passed=one.passed) for one in found)


def _unit(person: str | None) -> Unit:
    return "record" if person is None else "person"


def called(name: str, arguments: dict[str, Any]) -> tuple[AgentTool, Any]:
    """Return a tool and its checked arguments. An invalid argument raises a `ValidationError`."""
    tool = next(one for one in TOOLS if one.name == name)
    return tool, tool.takes.model_validate(arguments)


def said_by(arguments: dict[str, Any]) -> tuple[str, ...]:
    """Return the agent's words that an answer may repeat: file names and column names."""
    words: list[str] = []
    for value in arguments.values():
        texts = value if isinstance(value, list) else [value]
        words += [Path(text).name for text in texts if isinstance(text, str)]
    return tuple(dict.fromkeys(words))
