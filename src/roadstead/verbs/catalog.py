"""All requests, in the order in which a user reads them."""

from __future__ import annotations

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
from roadstead.verbs.risk.request import RiskRequest
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.sign.request import SignRequest
from roadstead.verbs.synthesize.request import SynthesizeRequest
from roadstead.verbs.verify.request import VerifyRequest

REQUESTS: tuple[Any, ...] = (
    ScanRequest,
    RiskRequest,
    AnonymizeRequest,
    FrontierRequest,
    SynthesizeRequest,
    EvaluateRequest,
    ApplyRequest,
    AttackRequest,
    VerifyRequest,
    DetermineRequest,
    SignRequest,
    GateRequest,
    KeyRequest,
    DemoRequest,
)
