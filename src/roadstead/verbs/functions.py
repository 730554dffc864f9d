"""Define the Python functions, each of which is generated from a request.

If a command can be taken out, its function is in its own folder, in the module `function`.
"""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.apply.request import ApplyRequest
from roadstead.verbs.frontier.request import FrontierRequest
from roadstead.verbs.key.request import KeyRequest
from roadstead.verbs.repeat.request import RepeatRequest
from roadstead.verbs.risk.request import RiskRequest
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.sign.request import SignRequest
from roadstead.verbs.verify.request import VerifyRequest

anonymize = function_of(AnonymizeRequest)
apply = function_of(ApplyRequest)
frontier = function_of(FrontierRequest)
key = function_of(KeyRequest)
repeat = function_of(RepeatRequest)
risk = function_of(RiskRequest)
scan = function_of(ScanRequest)
sign = function_of(SignRequest)
verify = function_of(VerifyRequest)
