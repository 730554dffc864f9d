"""Define the Python function `determine`, which is generated from the request."""

from __future__ import annotations

from roadstead.requests.functions import function_of
from roadstead.verbs.determine.request import DetermineRequest

determine = function_of(DetermineRequest)
