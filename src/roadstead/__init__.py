"""Roadstead: share health data beyond Safe Harbor, and prove how safe that is.

::

    import roadstead as rs

    result = rs.anonymize("patients.csv", quasi=["age", "sex", "race", "zip"], k=5)
    print(result)
    result.write("release")

Names are imported when they are first used, so that ``import roadstead`` costs nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False  # so that `typing` is imported after the command can hear signals

if TYPE_CHECKING:
    from typing import Any

    from roadstead.errors import (
        HierarchyError,
        InputError,
        MissingExtraError,
        NoPolicyError,
        OutputError,
        PolicyError,
        Refusal,
        RoadsteadError,
        RoleError,
        SettingError,
        SourceError,
        VerificationError,
    )
    from roadstead.hierarchies.arx_csv import read_hierarchy, write_hierarchy
    from roadstead.jobs import Job, Observer
    from roadstead.policies.document import Policy, read_policy
    from roadstead.release.gate.rules import GateFinding
    from roadstead.release.signing.finding import SignatureFinding
    from roadstead.release.verification.checks import Verification
    from roadstead.schemas.documents import schema
    from roadstead.tables.reading import read
    from roadstead.tables.roles import Roles
    from roadstead.tables.source import Source
    from roadstead.verbs.anonymize.request import AnonymizeRequest
    from roadstead.verbs.anonymize.result import Anonymization
    from roadstead.verbs.apply.as_sql import as_sql
    from roadstead.verbs.apply.drift import Drift
    from roadstead.verbs.apply.request import ApplyRequest
    from roadstead.verbs.apply.result import Application
    from roadstead.verbs.attack.request import AttackRequest
    from roadstead.verbs.attack.result import AttackFinding
    from roadstead.verbs.determine.request import DetermineRequest
    from roadstead.verbs.determine.result import DeterminationFinding
    from roadstead.verbs.evaluate.request import EvaluateRequest
    from roadstead.verbs.evaluate.result import EvaluationFinding
    from roadstead.verbs.frontier.request import FrontierRequest
    from roadstead.verbs.frontier.result import FrontierFinding
    from roadstead.verbs.functions import (
        anonymize,
        apply,
        attack,
        determine,
        evaluate,
        frontier,
        gate,
        key,
        risk,
        scan,
        sign,
        synthesize,
        verify,
    )
    from roadstead.verbs.gate.request import GateRequest
    from roadstead.verbs.key.request import KeyRequest
    from roadstead.verbs.risk.request import RiskRequest
    from roadstead.verbs.risk.result import RiskFinding
    from roadstead.verbs.scan.request import ScanRequest
    from roadstead.verbs.scan.result import Proposal
    from roadstead.verbs.sign.request import SignRequest
    from roadstead.verbs.synthesize.request import SynthesizeRequest
    from roadstead.verbs.synthesize.result import SynthesisFinding
    from roadstead.verbs.verify.request import VerifyRequest

__version__ = "0.1.0"

__all__ = [
    "Anonymization",
    "AnonymizeRequest",
    "Application",
    "ApplyRequest",
    "AttackFinding",
    "AttackRequest",
    "DeterminationFinding",
    "DetermineRequest",
    "Drift",
    "EvaluateRequest",
    "EvaluationFinding",
    "FrontierFinding",
    "FrontierRequest",
    "GateFinding",
    "GateRequest",
    "HierarchyError",
    "InputError",
    "Job",
    "KeyRequest",
    "MissingExtraError",
    "NoPolicyError",
    "Observer",
    "OutputError",
    "Policy",
    "PolicyError",
    "Proposal",
    "Refusal",
    "RiskFinding",
    "RiskRequest",
    "RoadsteadError",
    "RoleError",
    "Roles",
    "ScanRequest",
    "SettingError",
    "SignRequest",
    "SignatureFinding",
    "Source",
    "SourceError",
    "SynthesisFinding",
    "SynthesizeRequest",
    "Verification",
    "VerificationError",
    "VerifyRequest",
    "anonymize",
    "apply",
    "as_sql",
    "attack",
    "determine",
    "evaluate",
    "frontier",
    "gate",
    "key",
    "read",
    "read_hierarchy",
    "read_policy",
    "risk",
    "scan",
    "schema",
    "sign",
    "synthesize",
    "verify",
    "write_hierarchy",
]

_PARTS = {
    "errors": "HierarchyError InputError MissingExtraError NoPolicyError OutputError PolicyError "
    "Refusal RoadsteadError RoleError SettingError SourceError VerificationError",
    "hierarchies.arx_csv": "read_hierarchy write_hierarchy",
    "jobs": "Job Observer",
    "policies.document": "Policy read_policy",
    "release.gate.rules": "GateFinding",
    "release.signing.finding": "SignatureFinding",
    "release.verification.checks": "Verification",
    "schemas.documents": "schema",
    "tables.reading": "read",
    "tables.roles": "Roles",
    "tables.source": "Source",
    "verbs.anonymize.request": "AnonymizeRequest",
    "verbs.anonymize.result": "Anonymization",
    "verbs.apply.as_sql": "as_sql",
    "verbs.apply.drift": "Drift",
    "verbs.apply.request": "ApplyRequest",
    "verbs.apply.result": "Application",
    "verbs.attack.request": "AttackRequest",
    "verbs.attack.result": "AttackFinding",
    "verbs.determine.request": "DetermineRequest",
    "verbs.determine.result": "DeterminationFinding",
    "verbs.evaluate.request": "EvaluateRequest",
    "verbs.evaluate.result": "EvaluationFinding",
    "verbs.frontier.request": "FrontierRequest",
    "verbs.frontier.result": "FrontierFinding",
    "verbs.functions": "anonymize apply attack determine evaluate frontier gate key risk scan sign "
    "synthesize verify",
    "verbs.gate.request": "GateRequest",
    "verbs.key.request": "KeyRequest",
    "verbs.risk.request": "RiskRequest",
    "verbs.risk.result": "RiskFinding",
    "verbs.scan.request": "ScanRequest",
    "verbs.scan.result": "Proposal",
    "verbs.sign.request": "SignRequest",
    "verbs.synthesize.request": "SynthesizeRequest",
    "verbs.synthesize.result": "SynthesisFinding",
    "verbs.verify.request": "VerifyRequest",
}
"""The names that each module has."""
_HOMES = {name: home for home, names in _PARTS.items() for name in names.split()}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is exported
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - as all that is not needed at once

    return getattr(importlib.import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Top(ModuleType):
    """A module in which no part takes the place of something exported that has the same name.

    Python makes a package an attribute of the one around it as soon as it is imported, so the room
    `roadstead.risk` would hide the function `risk`.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Top
