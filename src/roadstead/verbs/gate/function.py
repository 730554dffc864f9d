"""Define the Python function `gate`, which is generated from the request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.gate.request import GateRequest

gate = function_of(GateRequest)
