"""Unchanged cells of a release are the same in other programs: libraries, R, and LibreOffice.

The tests with R (and its package haven) and with LibreOffice are skipped if these are missing.
"""

from __future__ import annotations

import datetime as dt
import shutil
import struct
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import xlsxwriter
from commands import run
from program_files import AllDigits

import roadstead as rs

pytest.importorskip("openpyxl")
pytest.importorskip("odf")

NUMBERS = [0.1 + 0.2, 1 / 3, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**53, -1e-7]
TEXTS = ["007", " blank ", "1e5", "true", "ä𝒳\u00a0", "two\nlines", "2024-01-31"]
FIRST = dt.date(1901, 2, 28)


def source(path: Path) -> pd.DataFrame:
    """Write numbers of all sizes, texts that look like other types, days, and times."""
    frame = pd.DataFrame(
        {
            "sex": [("f", "m")[at // 120] for at in range(240)],
            "number": [NUMBERS[at % len(NUMBERS)] for at in range(240)],
            "whole": [at * 4_000_007 for at in range(240)],
            "text": [TEXTS[at % len(TEXTS)] for at in range(240)],
            "day": [FIRST + dt.timedelta(days=97 * at) for at in range(240)],
            "moment": [*pd.date_range("2024-02-28 23:58:01", periods=240, freq="s")],
        }
    )
    if path.suffix == ".ods":
        frame.to_excel(path, index=False, engine="odf")
        return frame
    with xlsxwriter.Workbook(str(path), {"default_date_format": "yyyy-mm-dd hh:mm:ss"}) as book:
        sheet = book.add_worksheet()
        for at, name in enumerate(frame):
            cells = [name, *frame[name].tolist()]
            for row, cell in enumerate(cells):
                sheet.write(row, at, AllDigits(cell) if isinstance(cell, float) else cell)
    return frame


def exact(value: Any) -> object:  # noqa: ANN401 - any cell
    """Return a cell as a value that is equal only if each bit of a number is equal."""
    if isinstance(value, pd.Timestamp | dt.datetime):
        return value.isoformat()
    return struct.pack(">d", float(value)) if isinstance(value, int | float) else str(value)


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["v.xlsx", "v.ods"])
def test_each_cell_is_the_same_to_the_last_bit(name: str, tmp_path: Path) -> None:
    """Fault class: a library that writes 15 or 16 digits, or that trims or converts a text."""
    original = source(tmp_path / name)
    kept = ("--release-anyway", "number,whole,text,day,moment")
    out = tmp_path / "out"
    ran = run("anonymize", tmp_path / name, "--quasi", "sex", *kept, "--out", out)
    assert ran.code == 0, ran.error
    engine: Any = "odf" if name == "v.ods" else "openpyxl"
    released = pd.read_excel(out / name, engine=engine, keep_default_na=False)
    for column in original:
        before = Counter(map(exact, original[column].tolist()))
        if column == "day":
            before = Counter(f"{one}T00:00:00" for one in original["day"])
        assert Counter(map(exact, released[column].tolist())) == before, column


MADE_BY_R = """
library(haven); folder <- commandArgs(TRUE)[1]; set.seed(1); n <- 120
nine <- function(v) rep(v, length.out = n)
d <- data.frame(id = as.double(1:n), sex = nine(c("f", "m")))
d$number <- nine(c(0.1 + 0.2, 1 / 3, -1e-7, 2^53, 2^31, NA))
d$text <- nine(c("007", " blank", "NA", "ä\u65e5", strrep("é", 300), "=1+1"))
d$day <- as.Date("1958-11-27") + nine(c(0, 7e4, NA)); d$time <- hms::hms(nine(c(3661, 86399, NA)))
d$moment <- as.POSIXct("1999-12-31 23:59:59", tz = "UTC") + nine(c(0, 1e8, 0.25, NA))
attr(d$number, "label") <- "Größe"; d$nothing <- NA_real_
d[] <- lapply(d, function(x) { x[is.na(x)] <- NA; x })  # arithmetic changes a bit of NA
xpt <- dta <- sav <- rds <- d
ends <- c("not at all" = 1, "weiß nicht" = -9)
sav$scale <- labelled_spss(nine(c(1, 2, 3.5, -9, NA)), ends, na_values = -9, label = "Skala")
sav$code <- labelled(nine(c("a", "b")), c(Alpha = "a"))
tagged <- nine(c(1, 2, tagged_na("a"), tagged_na("z"), NA))
dta$scale <- labelled(tagged, c(one = 1, "nicht gefragt" = tagged_na("a")))
xpt$scale <- nine(c(1, 2.5, tagged_na("A"), tagged_na("Z"), NA))
rds$scale <- sav$scale; rds$tagged <- dta$scale; rds$code <- sav$code; rds$whole <- 1:n
rds$well <- nine(c(TRUE, NA))
rds$local <- as.POSIXct("2024-03-31 12:00:00", tz = "") + 1:n
rds$stage <- factor(nine(c("low", "high", NA)), c("low", "high"), ordered = TRUE)
rds$zone <- as.POSIXct("2024-03-31", tz = "Europe/Zurich") + 86400 * nine(0:9)
write_sav(sav, file.path(folder, "v.sav")); write_dta(dta, file.path(folder, "v.dta"))
write_xpt(xpt, file.path(folder, "v.xpt"), version = 8); saveRDS(rds, file.path(folder, "v.rds"))
"""
COMPARED_BY_R = """
library(haven); files <- commandArgs(TRUE); kind <- sub(".*\\\\.", "", files[1])
seen <- switch(kind, sav = function(f) read_sav(f, user_na = TRUE), dta = read_dta,
               xpt = read_xpt, rds = readRDS)
a <- seen(files[1]); b <- seen(files[2])
plain <- function(x, id) {
  about <- attributes(x); about$display_width <- NULL
  if (identical(about$tzone, "")) about$tzone <- NULL  # the same to R
  list(attributes = about[sort(names(about))], cells = `attributes<-`(x, NULL)[order(id)])
}
same <- function(n) {
  identical(plain(a[[n]], a$id), plain(b[[n]], b$id), num.eq = FALSE, single.NA = FALSE)
}
cat(setdiff(names(a), names(b)), names(b)[!vapply(names(b), same, TRUE)])
"""


def other_program(name: str, *given: str | Path) -> str:
    """Run another program, or skip the test if the program is missing."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    ran = subprocess.run([name, *map(str, given)], capture_output=True, text=True, check=False)
    if name == "Rscript" and "there is no package called" in ran.stderr:
        pytest.skip("R's package haven is not installed")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def released_unchanged(path: Path) -> Path:
    """Release all columns of a table unchanged, and return the released table."""
    out = path.parent / f"out-{path.suffix[1:]}"
    with rs.read(path) as source:
        kept = ",".join(name for name in source.columns if name != "sex")
    ran = run("anonymize", path, "--quasi", "sex", "--release-anyway", kept, "--out", out)
    assert ran.code == 0, ran.error
    return next(one for one in out.iterdir() if one.suffix not in (".json", ".html"))


@pytest.mark.nightly
def test_r_sees_no_difference(tmp_path: Path) -> None:
    """Each bit, label, missing type, class, and time zone is that of the file that R wrote."""
    (tmp_path / "make.R").write_text(MADE_BY_R, "utf-8")
    (tmp_path / "compare.R").write_text(COMPARED_BY_R, "utf-8")
    other_program("Rscript", tmp_path / "make.R", tmp_path)
    for name in ("v.sav", "v.dta", "v.xpt", "v.rds"):
        files = tmp_path / name, released_unchanged(tmp_path / name)
        assert other_program("Rscript", tmp_path / "compare.R", *files).split() == [], name


@pytest.mark.nightly
def test_libreoffice_sees_no_difference(tmp_path: Path) -> None:
    """Also in the older Excel format. Durations become texts that look alike."""
    rows = (
        f"{at},{'fm'[at % 2]},00{at},{FIRST + dt.timedelta(97 * at)},{at / 8},{at % 30 + 24}:30:07,"
        f"{str(at % 3 == 0).upper()},{('ä', 'x', ' y', '')[at % 4]}"
        for at in range(120)
    )
    lines = ["id,sex,zip,day,number,stay,well,text", *rows]
    (tmp_path / "v.csv").write_text("\n".join([*lines, ""]), "utf-8")
    taken = "--infilter=Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false"
    into = ("soffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/lo")
    as_text = ("--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76", "--outdir")
    for kind in ("xlsx", "ods", "xls"):
        source, seen = tmp_path / f"v.{kind}", []
        other_program(*into, taken, "--convert-to", kind, "--outdir", tmp_path, tmp_path / "v.csv")
        for at, table in enumerate((source, released_unchanged(source))):
            place = tmp_path / f"{kind}{at}"
            other_program(*into, *as_text, place, table)
            text = (place / "v.csv").read_text("utf-8")
            text = text.replace("TRUE", "1").replace("FALSE", "0")  # as it shows those of .xls
            seen.append(sorted(text.splitlines()))
        assert seen[0] == seen[1], kind
