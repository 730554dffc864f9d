"""Fit a declared regression to the table and to candidates, as `evaluate` does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roadstead.jobs import Observer
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.verbs.catalog import REQUESTS
from roadstead.verbs.evaluate.request import EvaluateRequest


def regression(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Fit the regression to each table. Return the coefficients and their confidence intervals."""
    path = Path(given["project"])
    project = read_project(path, REQUESTS)
    fields = {
        "data": given["folders"],
        "original": given["original"],
        "formula": given["formula"],
    }
    found = joined(EvaluateRequest, fields, project).run(observer).to_dict()
    return {
        "regression": found["regression"],
        "releases": [one["coefficients"] for one in found["releases"]],
        "overlaps": [one["mean_overlap"] for one in found["releases"]],
        "notes": found["notes"],
    }
