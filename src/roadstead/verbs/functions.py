"""Define the Python functions, each of which is generated from a request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.apply.request import ApplyRequest
from roadstead.verbs.attack.request import AttackRequest
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

anonymize = function_of(AnonymizeRequest)
apply = function_of(ApplyRequest)
attack = function_of(AttackRequest)
determine = function_of(DetermineRequest)
evaluate = function_of(EvaluateRequest)
frontier = function_of(FrontierRequest)
gate = function_of(GateRequest)
key = function_of(KeyRequest)
repeat = function_of(RepeatRequest)
risk = function_of(RiskRequest)
scan = function_of(ScanRequest)
sign = function_of(SignRequest)
synthesize = function_of(SynthesizeRequest)
verify = function_of(VerifyRequest)
