"""A population that lacks some people of the table, in the steps Risk and Explore."""

from __future__ import annotations

from pathlib import Path

from workbench import served

_ANSWERS = {"threshold": "0.2", "population": "people.csv"}
_CHOICE = "count as additional people"


def test_records_that_match_no_one_are_counted_on_request(tmp_path: Path) -> None:
    """Without the choice, the step stops and names it; with it, the risk is computed."""
    lines = [f"{20 + i % 5},{'fm'[i % 2]}" for i in range(200)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,sex", *lines, ""]))
    lacking = [one for one in lines if not one.startswith("24")]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex", *lacking * 3, ""]))
    with served(tmp_path / "state", [tmp_path], folder=tmp_path) as bench:
        piece = bench.begin()
        bench.open(piece, "patients.csv")
        bench.post(f"{piece}/risk", **_ANSWERS)
        assert bench.wait(piece, "risk")["state"] == "failed"
        page = bench.get(f"{piece}/risk").text
        assert "“Records that match no one in the population”: count" in page
        assert _CHOICE in page
        bench.post(f"{piece}/risk", **_ANSWERS, absent="count")
        record = bench.wait(piece, "risk")
        assert record["state"] == "done", record["error"]
        assert 'value="count" selected' in bench.get(f"{piece}/risk").text
        assert _CHOICE in bench.get(f"{piece}/explore").text
        bench.post(f"{piece}/explore/frontier", policies="levels", absent="count")
        record = bench.wait(piece, "frontier")
        assert record["state"] == "done", record["error"]
        # Without a population, the choice has no meaning and is not sent.
        bench.post(f"{piece}/risk", threshold="0.2", absent="count")
        assert bench.wait(piece, "risk")["state"] == "done"
