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
    from roadstead.policies.document import Policy, read_policy
    from roadstead.release.verification import Verification
    from roadstead.tables.roles import Roles
    from roadstead.tables.sources import Source, read
    from roadstead.verbs.anonymize import Watch, anonymize
    from roadstead.verbs.application import Application
    from roadstead.verbs.apply import apply
    from roadstead.verbs.as_sql import as_sql
    from roadstead.verbs.drift import Drift
    from roadstead.verbs.evaluate import evaluate
    from roadstead.verbs.evaluation_finding import EvaluationFinding
    from roadstead.verbs.frontier import FrontierWatch, frontier
    from roadstead.verbs.frontier_finding import FrontierFinding
    from roadstead.verbs.result import Anonymization
    from roadstead.verbs.risk import risk
    from roadstead.verbs.risk_finding import RiskFinding
    from roadstead.verbs.scan import Proposal, scan
    from roadstead.verbs.synthesis_finding import SynthesisFinding
    from roadstead.verbs.synthesize import synthesize
    from roadstead.verbs.verify import verify

__version__ = "0.1.0"

__all__ = [
    "Anonymization",
    "Application",
    "Drift",
    "EvaluationFinding",
    "FrontierFinding",
    "FrontierWatch",
    "HierarchyError",
    "InputError",
    "MissingExtraError",
    "NoPolicyError",
    "OutputError",
    "Policy",
    "PolicyError",
    "Proposal",
    "Refusal",
    "RiskFinding",
    "RoadsteadError",
    "RoleError",
    "Roles",
    "SettingError",
    "Source",
    "SourceError",
    "SynthesisFinding",
    "Verification",
    "VerificationError",
    "Watch",
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
    "Anonymization": "verbs.result",
    "Application": "verbs.application",
    "Drift": "verbs.drift",
    "EvaluationFinding": "verbs.evaluation_finding",
    "FrontierFinding": "verbs.frontier_finding",
    "FrontierWatch": "verbs.frontier",
    "HierarchyError": "errors",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "NoPolicyError": "errors",
    "OutputError": "errors",
    "Policy": "policies.document",
    "PolicyError": "errors",
    "Proposal": "verbs.scan",
    "Refusal": "errors",
    "RiskFinding": "verbs.risk_finding",
    "RoadsteadError": "errors",
    "RoleError": "errors",
    "Roles": "tables.roles",
    "SettingError": "errors",
    "Source": "tables.sources",
    "SourceError": "errors",
    "SynthesisFinding": "verbs.synthesis_finding",
    "Verification": "release.verification",
    "VerificationError": "errors",
    "Watch": "verbs.anonymize",
    "anonymize": "verbs.anonymize",
    "apply": "verbs.apply",
    "as_sql": "verbs.as_sql",
    "evaluate": "verbs.evaluate",
    "frontier": "verbs.frontier",
    "read": "tables.sources",
    "read_hierarchy": "hierarchies.arx_csv",
    "read_policy": "policies.document",
    "risk": "verbs.risk",
    "scan": "verbs.scan",
    "synthesize": "verbs.synthesize",
    "verify": "verbs.verify",
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
