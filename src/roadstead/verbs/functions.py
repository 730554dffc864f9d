"""The verbs as functions, each made from its request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.risk.request import RiskRequest
from roadstead.verbs.scan.request import ScanRequest
from roadstead.verbs.verify.request import VerifyRequest

risk = function_of(RiskRequest)
scan = function_of(ScanRequest)
verify = function_of(VerifyRequest)
