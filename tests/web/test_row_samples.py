"""The first rows on a page are a random sample, before and after."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from workbench import Bench, served

_RECORDS = 600


@pytest.fixture(scope="module")
def piece(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, str]]:
    """A workbench with a prepared release."""
    folder = tmp_path_factory.mktemp("sampled")
    drawn = random.Random(5)  # noqa: S311 - made-up patients
    rows = [f"Zq{i:04},{20 + i % 50},{drawn.randrange(60)}" for i in range(_RECORDS)]
    (folder / "patients.csv").write_text("\n".join(["who,age,outcome", *rows, ""]))
    with served(folder / "state", [folder], folder=folder) as bench:
        own = bench.begin()
        bench.open(own, "patients.csv")
        for number, role in ((1, "identifiers"), (2, "quasi"), (3, "unchanged")):
            answer = bench.post(f"{own}/columns/{number}/role", role=role)
            assert answer.status == 200, answer.text
        bench.post(f"{own}/release/prepare")
        assert bench.wait(own, "prepare")["state"] == "done"
        yield bench, own


@pytest.mark.quick(1)
@pytest.mark.parametrize("step", ["data", "release"])
def test_a_sample_is_random_and_hides_what_rows_hide(piece: tuple[Bench, str], step: str) -> None:
    """Of 600 records, three samples of the same eight would be a wonder."""
    bench, own = piece
    found = set()
    for _ in range(3):
        text = bench.get(f"{own}/{step}/rows?sample=yes").text
        assert f"8 random rows of {_RECORDS}" in text
        assert "New sample" in text
        assert "Zq" not in text
        numbers = re.findall(r"<td>(\d+)</td>\s*</tr>", text)
        assert len(numbers) == 8, text
        found |= {*numbers}
    assert len(found) > 8
    assert f"Rows 1 to 15 of {_RECORDS}" in bench.get(f"{own}/{step}/rows").text


def test_the_page_shows_a_sample_before_and_after(piece: tuple[Bench, str]) -> None:
    bench, own = piece
    page = bench.get(f"{own}/release").text
    assert f"{own}/data/rows?sample=yes" in page
    assert f"{own}/release/rows?sample=yes" in page


@pytest.mark.quick(1)
@pytest.mark.parametrize("order", ["sample=yes", "first=0"])
def test_rows_that_are_all_hidden_do_not_look_like_an_empty_table(
    piece: tuple[Bench, str], order: str
) -> None:
    """As long as no column has a role. Fault class: "0 random rows of 600"."""
    bench, _ = piece
    own = bench.begin()
    bench.open(own, "patients.csv")
    for number in (1, 2, 3):
        assert bench.post(f"{own}/columns/{number}/role", role="undecided").status == 200
    text = bench.get(f"{own}/data/rows?{order}").text
    assert f"{_RECORDS} rows, not shown because every column is gray. Gray columns are hid" in text
    assert "<button" not in text
