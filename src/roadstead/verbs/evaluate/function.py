"""Define the Python function `evaluate`, which is generated from the request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.evaluate.request import EvaluateRequest

evaluate = function_of(EvaluateRequest)
