"""The public data sets of the experiments, which are fetched on request.

Each file is pinned to a commit of its public repository and checked against its SHA-256, so
everyone measures the same bytes. If `ROADSTEAD_DATA` names a folder with the same layout, its files
are used.

Adult is an extract of the 1994 US census (UCI, CC BY 4.0), and Cup contains the donors of the KDD
Cup 1998 (UCI KDD archive), both with the hierarchies of paper 003's benchmark. `adult_uci` is UCI's
version of Adult, for papers that need all records. The other data sets have no public copy that can
be used unchanged, and must be in the folder: Fars, the people in fatal accidents, from the US
traffic safety administration (public domain); counts of the US census, for the population of
Tennessee (public domain); the encounters of diabetic patients (UCI, CC BY 4.0); and the
demonstration of MIMIC-III (ODbL).
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from roadstead.errors import MissingExtraError, SourceError


def _files() -> dict[str, tuple[str, str]]:
    lines = (resources.files(__package__) / "data" / "files.txt").read_text("utf-8").splitlines()
    parts = (line.split() for line in lines if not line.startswith("#"))
    return {path: (sha256, url) for path, sha256, url in parts}


FILES = _files()
"""The SHA-256 digest and the address of each file."""

UNFETCHABLE: dict[str, tuple[str, str]] = {
    "diabetes130": (
        "its public copies are archives that cannot be fetched in a usable form",
        "extract diabetic_data.csv from the archive of the UCI Machine Learning Repository with "
        "doi 10.24432/C5230J, gzip it to diabetes130/diabetic_data.csv.gz, and set "
        "ROADSTEAD_DATA to the folder that contains diabetes130",
    ),
    "mimic3_demo": (
        "no public copy outside PhysioNet is complete, and PhysioNet requires a visit to its site",
        "download the MIMIC-III Clinical Database Demo 1.4, which is open to everyone, put "
        "ADMISSIONS.csv, PATIENTS.csv, and DIAGNOSES_ICD.csv into mimic3_demo, and set "
        "ROADSTEAD_DATA to the folder that contains mimic3_demo",
    ),
    "fars": (
        "its public copy has numbers instead of values and cannot be fetched in a usable form",
        "take java/data/fars_int.csv of arx-deidentifier/genetic-benchmark at commit "
        "b00fa9f5d85f5e3c317f84c2e1dd72bbdf3638ee; replace each number by its label, where row i "
        "of java/hierarchies/fars_int_hierarchy_*.csv corresponds to row i of "
        "hierarchies/fars_hierarchy_*.csv of fstahnke/arx-new-algorithms at commit "
        "297fa72cbd4258f6d845502e5ea99402f12ff3cd; put the "
        "table and these hierarchies into fars/fars.csv and fars/hierarchies; and set "
        "ROADSTEAD_DATA to the folder that contains fars",
    ),
    "census": (
        "its public copies are in formats of R and Stata and cannot be fetched in a usable form",
        "write these files as gzipped CSV: the attribute table of data/tennessee.tract.rda of "
        "cran/UScensus2000tract at commit 1a40cd9d7cb4fdd53acebb7e5b540fec3d1f90d2, each tract "
        "once (tn_tract_sf1_2000.csv.gz); data/zcta_county_rel_10.rda of jjchern/zcta at commit "
        "763a2a86847801a6b602aa0a755e91a20b949bc0 (zcta_county_rel_2010.csv.gz); "
        "input_files/zip_over18_race_dec10.dta of cfpb/proxy-methodology at commit "
        "22056bdc52cfefb92e29bd811315b1da17d7f06e (zcta_race_18plus_2010.csv.gz); and the Census "
        "Bureau's st-est00int-agesex.csv (st-est00int-agesex.csv.gz). Put them into census, and "
        "set ROADSTEAD_DATA to the folder that contains census",
    ),
}
"""The data sets that cannot be fetched, each with the reason and how to get the data."""

SETS = tuple(dict.fromkeys(path.partition("/")[0] for path in FILES))


def data_set(name: str) -> Path:
    """Return the folder of a data set, and fetch missing files.

    Parameters
    ----------
    name
        One of `SETS`, or any data set in the folder that ``ROADSTEAD_DATA`` names.

    Raises
    ------
    SourceError
        If the data set does not exist, or if a file cannot be fetched or has unexpected contents.
    MissingExtraError
        If a file must be fetched and pooch is not installed.
    """
    if folder := os.environ.get("ROADSTEAD_DATA"):
        path = Path(folder) / name
        if path.is_dir():
            return path
    if name in UNFETCHABLE:
        why, fix = UNFETCHABLE[name]
        raise SourceError(why, where=name, fix=fix)
    if name not in SETS:
        raise SourceError(f"{name!r} is not a known data set", fix="use one of " + ", ".join(SETS))
    return _fetched(name)


def _fetched(name: str) -> Path:
    try:
        import pooch  # noqa: PLC0415 - optional
    except ModuleNotFoundError:
        raise MissingExtraError(
            "pooch is required to fetch data sets", fix="pip install pooch"
        ) from None
    cache = pooch.create(
        path=pooch.os_cache("roadstead"),
        base_url="",
        registry={path: f"sha256:{sha256}" for path, (sha256, _) in FILES.items()},
        urls={path: url for path, (_, url) in FILES.items()},
    )
    for path in FILES:
        if path.startswith(f"{name}/"):
            try:
                cache.fetch(path)
            except (OSError, ValueError) as error:
                raise SourceError(
                    f"it cannot be fetched ({type(error).__name__})",
                    where=path,
                    fix="check the network, or set ROADSTEAD_DATA to a folder that has it",
                ) from error
    return Path(cache.path) / name
