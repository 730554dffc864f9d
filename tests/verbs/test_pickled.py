"""Results can be pickled, so that a queue of jobs can hold them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest
from small_tables import PATIENTS, QUASI, patients, write_csv

import roadstead as rs

NAMES = tuple(QUASI.split(","))
FRAME = pa.table([pa.array(one) for one in zip(*patients(200), strict=True)], names=list(PATIENTS))


def again(result: Any) -> Any:  # noqa: ANN401 - whatever is pickled
    """Pickle and unpickle."""
    return pickle.loads(pickle.dumps(result))  # noqa: S301 - our own


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "how",
    [{}, {"combinations": 3}, {"search": "k-optimize", "quality": "discernibility"}],
    ids=["levels", "in the engine", "partitions"],
)
def test_an_anonymization_is_the_same_afterwards(tmp_path: Path, how: dict[str, Any]) -> None:
    """For a file and a table in memory, with any search: words, JSON, release, and report."""
    quasi = NAMES[:1] if how else NAMES
    others = [name for name in PATIENTS if name not in quasi]
    for data in (FRAME, write_csv(tmp_path / "patients.csv", PATIENTS, patients(200))):
        found = rs.anonymize(data, quasi=quasi, identifiers=others, suppression=1.0, **how)
        copy = again(found)
        assert copy.to_dict() == found.to_dict()
        assert str(copy) == str(found)
        assert copy.to_arrow().equals(found.to_arrow())
        assert "<svg" in copy._repr_html_()
    assert copy.write(tmp_path / "release").passed


@pytest.mark.nightly
def test_an_application_is_the_same_afterwards() -> None:
    """And gives its release as a table, too."""
    found = rs.anonymize(FRAME, quasi=NAMES)
    applied = rs.apply(found.policy, FRAME)
    copy = again(applied)
    assert copy.to_dict() == applied.to_dict()
    assert copy.to_pandas().equals(found.to_pandas())
    assert "<svg" in copy._repr_html_()


def test_a_table_of_another_engine_goes_along_itself() -> None:
    """A process that unpickles it may not have access to that engine."""
    source = rs.read(ibis.memtable(FRAME), name="visits")
    copy = again(source)
    assert (copy.name, copy.columns) == ("visits", source.columns)
    assert copy.table.count().to_pyarrow().as_py() == FRAME.num_rows


def test_a_job_gives_what_its_request_does() -> None:
    """Run in a thread of its own."""
    job = rs.Job(rs.AnonymizeRequest(FRAME, quasi=NAMES)).start()
    assert job.result().records == FRAME.num_rows
    assert job.state == "done"
