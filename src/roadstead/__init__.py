"""Roadstead: share health data beyond Safe Harbor, and prove how safe that is.

::

    import roadstead as rs

    result = rs.anonymize("patients.csv", quasi=["age", "sex", "race", "zip"], k=5)
    print(result)
    result.write("release")

Names are imported when they are first used, so that ``import roadstead`` costs nothing.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from roadstead.release.verification.checks import Verification
    from roadstead.tables.reading import read
    from roadstead.tables.roles import Roles
    from roadstead.tables.source import Source
    from roadstead.verbs.anonymize.request import AnonymizeRequest
    from roadstead.verbs.anonymize.result import Anonymization
    from roadstead.verbs.apply.as_sql import as_sql
    from roadstead.verbs.apply.drift import Drift
    from roadstead.verbs.apply.request import ApplyRequest
    from roadstead.verbs.apply.result import Application
    from roadstead.verbs.evaluate.request import EvaluateRequest
    from roadstead.verbs.evaluate.result import EvaluationFinding
    from roadstead.verbs.frontier.request import FrontierRequest
    from roadstead.verbs.frontier.result import FrontierFinding
    from roadstead.verbs.functions import (
        anonymize,
        apply,
        evaluate,
        frontier,
        risk,
        scan,
        synthesize,
        verify,
    )
    from roadstead.verbs.risk.request import RiskRequest
    from roadstead.verbs.risk.result import RiskFinding
    from roadstead.verbs.scan.request import ScanRequest
    from roadstead.verbs.scan.result import Proposal
    from roadstead.verbs.synthesize.request import SynthesizeRequest
    from roadstead.verbs.synthesize.result import SynthesisFinding
    from roadstead.verbs.verify.request import VerifyRequest

__version__ = "0.1.0"

__all__ = [
    "Anonymization",
    "AnonymizeRequest",
    "Application",
    "ApplyRequest",
    "Drift",
    "EvaluateRequest",
    "EvaluationFinding",
    "FrontierFinding",
    "FrontierRequest",
    "HierarchyError",
    "InputError",
    "Job",
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
    "evaluate",
    "frontier",
    "read",
    "read_hierarchy",
    "read_policy",
    "risk",
    "scan",
    "synthesize",
    "verify",
    "write_hierarchy",
]

_HOMES = {
    "Anonymization": "verbs.anonymize.result",
    "AnonymizeRequest": "verbs.anonymize.request",
    "Application": "verbs.apply.result",
    "ApplyRequest": "verbs.apply.request",
    "Drift": "verbs.apply.drift",
    "EvaluateRequest": "verbs.evaluate.request",
    "EvaluationFinding": "verbs.evaluate.result",
    "FrontierFinding": "verbs.frontier.result",
    "FrontierRequest": "verbs.frontier.request",
    "HierarchyError": "errors",
    "InputError": "errors",
    "Job": "jobs",
    "MissingExtraError": "errors",
    "NoPolicyError": "errors",
    "Observer": "jobs",
    "OutputError": "errors",
    "Policy": "policies.document",
    "PolicyError": "errors",
    "Proposal": "verbs.scan.result",
    "Refusal": "errors",
    "RiskFinding": "verbs.risk.result",
    "RiskRequest": "verbs.risk.request",
    "RoadsteadError": "errors",
    "RoleError": "errors",
    "Roles": "tables.roles",
    "ScanRequest": "verbs.scan.request",
    "SettingError": "errors",
    "Source": "tables.source",
    "SourceError": "errors",
    "SynthesisFinding": "verbs.synthesize.result",
    "SynthesizeRequest": "verbs.synthesize.request",
    "Verification": "release.verification.checks",
    "VerificationError": "errors",
    "VerifyRequest": "verbs.verify.request",
    "anonymize": "verbs.functions",
    "apply": "verbs.functions",
    "as_sql": "verbs.apply.as_sql",
    "evaluate": "verbs.functions",
    "frontier": "verbs.functions",
    "read": "tables.reading",
    "read_hierarchy": "hierarchies.arx_csv",
    "read_policy": "policies.document",
    "risk": "verbs.functions",
    "scan": "verbs.functions",
    "synthesize": "verbs.functions",
    "verify": "verbs.functions",
    "write_hierarchy": "hierarchies.arx_csv",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is exported
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
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
