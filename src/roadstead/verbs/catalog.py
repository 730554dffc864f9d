"""List all requests under the headings of `roadstead --help`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.apply.request import ApplyRequest
from roadstead.verbs.attack.request import AttackRequest
from roadstead.verbs.demo.request import DemoRequest
from roadstead.verbs.determine.request import DetermineRequest
from roadstead.verbs.evaluate.request import EvaluateRequest
from roadstead.verbs.frontier.request import FrontierRequest
from roadstead.verbs.gate.request import GateRequest
from roadstead.verbs.key.request import KeyRequest
from roadstead.verbs.repeat.request import RepeatRequest
from roadstead.verbs.risk.request import RiskRequest
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.sign.request import SignRequest
from roadstead.verbs.synthesize.request import SynthesizeRequest
from roadstead.verbs.verify.request import VerifyRequest

COMMANDS: Mapping[str, tuple[Any, ...]] = {
    "Start": (DemoRequest, ScanRequest),
    "Assess": (RiskRequest, FrontierRequest),
    "Release": (AnonymizeRequest, ApplyRequest, SynthesizeRequest),
    "Check": (VerifyRequest, RepeatRequest, GateRequest, AttackRequest, EvaluateRequest),
    "Document": (DetermineRequest, SignRequest, KeyRequest),
}
"""The requests under each heading of `roadstead --help`."""

REQUESTS: tuple[Any, ...] = tuple(one for group in COMMANDS.values() for one in group)
"""All requests."""
