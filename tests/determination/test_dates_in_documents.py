"""The documents of a determination say what the date rules made of a column."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from commands import run
from small_tables import write_csv


def test_documents_say_that_dates_are_shifted_days(tmp_path: Path) -> None:
    """Fault class: a column of days was "in bands of 7", or "unchanged", like a date."""
    rows = [
        (f"p{who}", "FM"[who % 2], str(date(2020, 1, 1) + timedelta(days=7 * at + who)))
        for who in range(40)
        for at in range(60)
    ]
    table, out = write_csv(tmp_path / "t.csv", ("who", "sex", "seen"), rows), tmp_path / "out"
    asked = ("--person", "who", "--quasi", "sex,seen", "--link", "pseudonym", "--k", "2")
    dates = ("--date", "seen=shift:first", "--shift-days", "30", "--suppression", "1")
    made = run("anonymize", table, *asked, *dates, "--out", out)
    assert made.code == 0, made.err
    ran = run("determine", out, "--out", tmp_path / "documents")
    assert ran.code == 0, ran.err
    for name in ("hipaa", "ipc", "ema", "iso27559", "ehds"):
        page = (tmp_path / "documents" / f"{name}.html").read_text("utf-8")
        assert "earliest seen that is not left out; the number is" in page, name
        assert "All dates of a person are shifted by the same number of days" in page, name
