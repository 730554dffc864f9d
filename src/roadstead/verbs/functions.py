"""The verbs as functions, each made from its request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.evaluate.request import EvaluateRequest
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.synthesize.request import SynthesizeRequest
from roadstead.verbs.verify.request import VerifyRequest

evaluate = function_of(EvaluateRequest)
scan = function_of(ScanRequest)
synthesize = function_of(SynthesizeRequest)
verify = function_of(VerifyRequest)
