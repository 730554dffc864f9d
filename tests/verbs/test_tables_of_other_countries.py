"""Tables of a German, a British, and a Portuguese hospital, with the proposal of a scan unread."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from commands import run, without_charts

import roadstead as rs
from roadstead.hierarchies.codes import codes
from roadstead.policies.document import read_policy

ROWS = 1_200


def table_of(place: str, places: list[str], stray: str, **columns: list[str]) -> pd.DataFrame:
    """Draw patients; 12 of them have a stray text as their place."""
    draw = random.Random(5)  # noqa: S311 - not for secrets
    values = [stray] * 12 + draw.choices(places, k=ROWS - 12)
    rest = {name: draw.choices(own, k=ROWS) for name, own in columns.items()}
    return pd.DataFrame({place: values, **rest})


DRAWN = random.Random(6)  # noqa: S311 - as above
HOSPITALS = {
    "postcode_de": table_of(
        "PLZ",
        [f"{area}{DRAWN.randrange(1000):03d}" for area in (10, 12, 20, 80) * 30],
        "unbekannt",
        Geschlecht=["m", "w"],
        Herkunftsland=["Deutschland", "Türkei", "Polen", "Syrien"],
        ATC=["A10BA02", "C07AB02"],
    ),
    "postcode_gb": table_of(
        "postcode",
        [
            f"{area}{DRAWN.randrange(1, 9)} {DRAWN.randrange(9)}AA"
            for area in ("SW", "N", "EH") * 30
        ],
        "no fixed abode",
        sex=["F", "M"],
        country_of_birth=["United Kingdom", "India", "Poland"],
    ),
    "postcode_pt": table_of(
        "codigo_postal",
        [
            f"{area}{DRAWN.randrange(99):02d}-{DRAWN.randrange(999):03d}"
            for area in (10, 40, 95) * 30
        ],
        "SEM CODIGO",
        sexo=["F", "M"],
        nacionalidade=["Portugal", "Brasil", "Angola"],
        cid10=["I21.4", "E11.9", "A16.2"],
    ),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("book", HOSPITALS)
def test_a_proposal_that_nobody_read_gives_a_verified_release(
    book: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place has the code book of its country, and the release only labels of its rule."""
    without_charts(monkeypatch)
    table = HOSPITALS[book]
    place, stray = table.columns[0], table.iloc[0, 0]
    file = tmp_path / "patients.csv"
    table.to_csv(file, index=False)
    proposal = rs.scan(file)
    found = {one.name: one for one in proposal.columns}
    assert found[place].hierarchy == {"kind": "codes", "book": book}
    assert found[place].role == "quasi"
    assert f"12 of {ROWS:,} values of {place} are not in the code book" in found[place].warning
    (harbor,) = (one for one in proposal.safe_harbor if one.column == place)
    assert harbor.remedy == "nothing smaller than a state"
    country = next(one for one in proposal.columns if "country" in str(one.hierarchy))
    assert country.role == "quasi"

    project, release = tmp_path / "patients.toml", tmp_path / "release"
    proposal.write(project)
    assert run("anonymize", "--project", str(project), "--k", "20", "--out", str(release)).code == 0
    assert run("verify", str(release)).code == 0
    policy = read_policy(release / "policy.json")
    attribute = next(one for one in policy.attributes if one.name == place)
    assert attribute.level > 0
    made = codes(place, sorted(set(table[place])), book)
    labels = set(made.levels[attribute.level].labels) | {"*"}
    out = pd.read_csv(tmp_path / "release" / "patients.csv", dtype=str, keep_default_na=False)
    assert set(out[place]) <= labels
    assert stray not in out.to_csv()

    patients = table.astype(str)  # noqa: F841 - the statement reads it
    with duckdb.connect() as connection:
        answer = connection.execute(rs.as_sql(policy, table="patients"))
        in_sql = answer.df().astype(str)
    shown = [one for one in out.columns if one in in_sql.columns]
    assert sorted(map(tuple, in_sql[shown].values)) == sorted(map(tuple, out[shown].values))
