"""How much of time within a person is preserved: stays and times to readmission, before and after.

    ROADSTEAD_DATA=folder python benchmarks/person_time.py [--k 2 3] [--out FILE.svg] [--json FILE]

The data are the admissions of MIMIC-III's demo, whose rows are linked; an attacker may know two of
a patient's admissions. Dates are released as generalized calendar dates, and as days since the
first admission and since the current one, with the first admission shifted by up to half a year. A
third release has finer days since the first admission, which costs the stays. The picture, for the
smallest k, shows the share of stays longer than a number of days, and of later readmissions. A band
shows the range of days that the released cells allow.

A release gives a range of days for each stay. Each range is compared with the true days, which the
key of the pseudonyms identifies: the cells must contain them. The comparison shares no code with
the release.
"""

from __future__ import annotations

import csv
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

import measuring
import roadstead as rs
from problems import data_folder
from roadstead.number_ranges import parse_range
from roadstead.release.persons.pseudonyms import Pseudonyms, read_key, write_key

if TYPE_CHECKING:
    import altair as alt

STAY = {
    "kind": "cuts",
    "cuts": [[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 21, 28, 60], [2, 4, 7, 14, 28], [4, 7, 14], [7]],
}
SINCE_FIRST = {
    "kind": "cuts",
    "cuts": [
        [1, 7, 14, 30, 60, 90, 180, 365, 730, 1460],
        [1, 30, 90, 180, 365, 730],
        [1, 30, 180, 365],
        [1, 365],
        [1],
    ],
}
WITHIN: dict[str, Any] = {
    "dates": {"admittime": "shift:first", "dischtime": "since:admittime"},
    "declared": {"admittime": SINCE_FIRST, "dischtime": STAY},
}
WAYS: dict[str, dict[str, Any]] = {
    "dates on the calendar": {},
    "days within a patient": WITHIN,
    "the same, readmission first": {**WITHIN, "max_level": {"admittime": 3}},
}
MEASURES = ("length of stay", "time to readmission")
LONGEST = {"length of stay": 60, "time to readmission": 1_500}
"""Days up to which shares are drawn."""
OLD = 130 * 366


@dataclass(frozen=True)
class Span:
    """Days that something took, as far as is known: from `low` to `high`."""

    low: float
    high: float

    def __contains__(self, days: object) -> bool:
        """Whether it may have been so many days."""
        return isinstance(days, int) and self.low <= days <= self.high


Patient = list[tuple[Span, Span]]
"""The admissions of one patient: days from some start to the admission, and the length of stay."""


def main() -> int:
    """Release, compare with the truth, and draw; return 1 if a cell lacks the true days."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=(2, 3))
    parser.add_argument("--suppression", type=float, default=0.1)
    parser.add_argument("--out", type=Path, help="write the picture here, as SVG or PNG")
    given = parser.parse_args()
    measuring.show_machine()
    figures: list[dict[str, Any]] = []
    points: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        table = _admissions(Path(folder))
        truth = _truth(table)
        for k in given.k:
            points += _curves(list(truth.values()), k, "as it was")
            for way, asked in WAYS.items():
                out = Path(folder) / f"{k} {way}"
                found, known = _released(table, k, given.suppression, asked, out)
                wrong = _wrong(known, truth) if asked else 0
                points += _curves(list(known.values()), k, way)
                figures += _figures(found, known, truth, k, way, wrong)
    measuring.report(figures, given.json)
    if given.out is not None:
        _drawn(points, given.out)
    return int(any(one["wrong"] for one in figures))


def _admissions(folder: Path) -> Path:
    """Write the columns needed."""
    path = folder / "admissions.csv"
    source = data_folder() / "mimic3_demo" / "ADMISSIONS.csv"
    columns = duckdb.read_csv(str(source), all_varchar=True)
    columns.select("subject_id", "admittime", "dischtime").write_csv(str(path), header=True)
    return path


def _truth(table: Path) -> dict[str, Patient]:
    """Give each patient's admissions in their order, exact to the day."""
    own: dict[str, list[tuple[date, date]]] = defaultdict(list)
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            ends = (date.fromisoformat(row[name][:10]) for name in ("admittime", "dischtime"))
            own[row["subject_id"]].append((next(ends), next(ends)))
    return {
        who: [
            (_exactly((start - min(stays)[0]).days), _exactly((end - start).days))
            for start, end in sorted(stays)
        ]
        for who, stays in own.items()
    }


def _exactly(days: int) -> Span:
    return Span(days, days)


def _released(
    table: Path, k: int, suppression: float, asked: dict[str, Any], out: Path
) -> tuple[rs.Anonymization, dict[str, Patient]]:
    """Anonymize; give what the release says of each patient, under the number of before."""
    key = out.with_suffix(".key")
    write_key(key)
    found = rs.anonymize(
        table,
        person="subject_id",
        quasi=["admittime", "dischtime"],
        k=k,
        suppression=suppression,
        link="pseudonym",
        key=key,
        **asked,
    )
    found.write(out)
    names = list(_truth(table))
    number = dict(zip(Pseudonyms(read_key(key), keyed=True).of(names), names, strict=True))
    own: dict[str, Patient] = defaultdict(list)
    read = _of_days if asked else _of_dates
    with (out / table.name).open(newline="") as file:
        for row in csv.DictReader(file):
            own[number[row["subject_id"]]].append(read(row["admittime"], row["dischtime"]))
    return found, {who: sorted(stays, key=lambda one: one[0].low) for who, stays in own.items()}


def _of_days(since_first: str, stay: str) -> tuple[Span, Span]:
    return _span(since_first), _span(stay)


def _span(label: str) -> Span:
    """Read days, a band of them, or a removed cell, which may be anything from 0 on."""
    if label == "*":
        return Span(0, math.inf)
    found = parse_range(label)
    if found is None:
        raise ValueError(label)
    return Span(found.low, math.inf if found.high is None else found.high - 1)


def _of_dates(admitted: str, left: str) -> tuple[Span, Span]:
    """Read generalized dates as days since some start, and what they leave of the stay."""
    start, end = _calendar(admitted), _calendar(left)
    return start, Span(max(0.0, end.low - start.high), end.high - start.low)


def _calendar(label: str) -> Span:
    """Read a date, a month, a year or years, or a removed cell, as days of the calendar."""
    if label == "*":
        return Span(-math.inf, math.inf)
    first, _, last = label.partition(" - ") if " - " in label else label.partition("-")
    if len(first) == len("2100") and len(last) == len(first):
        return Span(date(int(first), 1, 1).toordinal(), date(int(last), 12, 31).toordinal())
    if first.endswith("s"):
        year = int(first[:-1])
        return Span(date(year, 1, 1).toordinal(), date(year + 9, 12, 31).toordinal())
    if not last:
        return Span(date(int(first), 1, 1).toordinal(), date(int(first), 12, 31).toordinal())
    raise ValueError(label)


def _spans(patients: Sequence[Patient], measure: str) -> list[Span]:
    """Lengths of all stays, or days from each stay to the next of the same patient."""
    if measure == "length of stay":
        return [stay for own in patients for _, stay in own]
    return [
        Span(
            max(0.0, later.low - start.high - stay.high),
            max(0.0, later.high - start.low - stay.low),
        )
        for own in patients
        for (start, stay), (later, _) in pairwise(own)
    ]


def _wrong(known: dict[str, Patient], truth: dict[str, Patient]) -> int:
    """Count released stays whose cells do not hold what was true.

    A patient's first stays may have been left out near the ends of the extract; then days are
    counted from the first that is left.
    """
    wrong = 0
    for who, released in known.items():
        true = truth[who]
        left = [true[at:] for at in range(len(true)) if len(true) - at >= len(released)]
        wrong += min(_misfits(released, own) for own in left)
    return wrong


def _misfits(released: Patient, true: Patient) -> int:
    first = true[0][0].low
    pairs = zip(released, true, strict=False)
    return sum(
        int(start.low - first) not in since or int(length.low) not in stay
        for (since, stay), (start, length) in pairs
    )


def _figures(
    found: rs.Anonymization,
    known: dict[str, Patient],
    truth: dict[str, Patient],
    k: int,
    way: str,
    wrong: int,
) -> list[dict[str, Any]]:
    """Say for each measure how much is released, and how wide what is known is."""
    rows = []
    for measure in MEASURES:
        spans = _spans(list(known.values()), measure)
        widths = sorted(one.high - one.low for one in spans)
        rows.append(
            {
                "k": k,
                "way": way,
                "policy": "; ".join(f"{a.name} {a.does}" for a in found.policy.attributes),
                "near the ends": found.dates.records_left_out,
                "measure": measure,
                "before": len(_spans(list(truth.values()), measure)),
                "released": len(spans),
                "median width": widths[len(widths) // 2] if widths else math.nan,
                "of known length": sum(width < math.inf for width in widths),
                "wrong": wrong,
            }
        )
    return rows


def _curves(patients: Sequence[Patient], k: int, way: str) -> list[dict[str, Any]]:
    """Share of spans that took longer than each number of days, at least and at most."""
    points: list[dict[str, Any]] = []
    for measure in MEASURES:
        spans = _spans(patients, measure)
        for days in range(LONGEST[measure] + 1):
            if not spans:
                continue
            least = sum(one.low > days for one in spans) / len(spans)
            most = sum(one.high > days for one in spans) / len(spans)
            where = {"k": f"k = {k}", "way": way, "measure": measure}
            before = points[-1] if points else {}
            same = {**where, "least": least, "most": most}
            # Where nothing changes, no point is needed, but at both ends.
            if days == LONGEST[measure] or {**before, **same} != before:
                points.append({**same, "days": days})
    return points


def _drawn(points: list[dict[str, Any]], path: Path) -> None:
    """Draw the shares: a line where all is known, bands where cells leave days open."""
    import altair as alt  # noqa: PLC0415 - heavy

    alt.data_transformers.disable_max_rows()
    first = [one for one in points if one["k"] == points[0]["k"]]
    exact = [one for one in first if one["way"] == "as it was"]
    rows = []
    for way in WAYS:
        row = []
        for measure in MEASURES:
            stays = measure == MEASURES[0]
            ticks = [0, 1, 2, 4, 7, 14, 28, 60] if stays else [0, 30, 90, 180, 365, 730, 1460]
            x = alt.X(
                "days:Q",
                title=f"{measure}, days",
                scale=alt.Scale(type="symlog", constant=7 if stays else 90),
                axis=alt.Axis(values=ticks, grid=False),
            )
            y = alt.Y("least:Q", title="share longer", axis=alt.Axis(format="%"))
            own = [one for one in first if one["measure"] == measure and one["way"] == way]
            line = [one for one in exact if one["measure"] == measure]
            row.append(
                (
                    _chart(own)
                    .mark_area(interpolate="step-after", color="#9cc3d9")
                    .encode(x, y, alt.Y2("most:Q"))
                    + _chart(line)
                    .mark_line(interpolate="step-after", strokeWidth=1.6, color="#1a1a1a")
                    .encode(x, y)
                ).properties(width=360, height=150, title=f"{way}, {first[0]['k']}")
            )
        rows.append(alt.hconcat(*row))
    alt.vconcat(*rows).configure_view(stroke=None).save(str(path))


def _chart(points: list[dict[str, Any]]) -> alt.Chart:
    import altair as alt  # noqa: PLC0415 - heavy

    return alt.Chart(alt.Data(values=points))  # type: ignore[no-untyped-call] # Altair's own


if __name__ == "__main__":
    sys.exit(main())
