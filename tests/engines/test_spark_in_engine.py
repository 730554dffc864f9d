"""Policies evaluated in Spark, where the combinations are more than are to be held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from two_ways import released_alike

from roadstead.cohort import generate
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from pathlib import Path

    from spark_tables import Spark

QUASI = ("sex", "zip", "race")


@pytest.mark.nightly
def test_the_release_is_that_of_all_combinations_in_memory(spark: Spark, tmp_path: Path) -> None:
    """With every query asked of the cluster, from the first GROUP BY to the classes."""
    columns = generate(2_000, 1)
    cells = ([v and str(v) for v in column] for column in columns.values())
    spark.load("patients_in_engine", list(columns), list(zip(*cells, strict=True)))
    with read(spark.address("patients_in_engine")) as source:
        released_alike(source, tmp_path, quasi=QUASI)
