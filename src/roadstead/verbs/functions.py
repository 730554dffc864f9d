"""The verbs as functions, each made from its request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.verify.request import VerifyRequest

verify = function_of(VerifyRequest)
