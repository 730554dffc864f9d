"""Ages with units and numbers with open ends, read by the SQL of a policy in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import written_numbers_in_sql as written

from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy, PolicyColumns, Suppression
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.verbs.apply.as_sql import as_sql

if TYPE_CHECKING:
    from spark_tables import Spark

pytestmark = pytest.mark.nightly


def test_spark_reads_open_ends_and_units(spark: Spark) -> None:
    """As DuckDB and PostgreSQL do (`tests/release/test_as_sql.py`)."""
    spark.load("written", ("v", "at"), written.rows())
    for rule in (written.RULES[3], written.RULES[4], written.RULES[6], written.RULES[7]):
        policy = Policy(
            (AttributePolicy("v", 0, 1, rule),),
            (KAnonymity(2).settings(),),
            Suppression(1.0, "drop"),
            PolicyColumns(unchanged=("at",), undecided=()),
        )
        table = f"{spark.schema}.written"
        said = as_sql(policy, dialect="spark", table=table, unseen="suppress")
        found = [tuple(row) for row in spark.session.sql(said).collect()]
        written.require_same(rule, written.labels_of(found))
