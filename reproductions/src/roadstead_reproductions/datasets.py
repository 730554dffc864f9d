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
from dataclasses import dataclass
from pathlib import Path

from roadstead.errors import MissingExtraError, SourceError


@dataclass(frozen=True)
class Origin:
    """A commit of a public repository."""

    repository: str
    commit: str

    def url(self, path: str) -> str:
        """Return the address of a file."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{path}"


ADULT = Origin("arx-deidentifier/arx", "a5ccb7b00ac49f98a40f048812452276fa1dd000")
ADULT_HIERARCHIES = Origin("arx-deidentifier/arx", "20f9924751f256e1b71bae5ddd77c2d74fbe13c3")
ADULT_UCI = Origin("j2kun/boosting", "0cc64246127fbdd26f79dce5db8f4786c536dc91")
ADULT_UCI_TEST = Origin("j2kun/boosting", "342ad93fd0d898761f309b4c1986405c9e79b41c")
CUP = Origin("fstahnke/arx-new-algorithms", "297fa72cbd4258f6d845502e5ea99402f12ff3cd")

FILES: dict[str, tuple[Origin, str, str]] = {
    "adult/adult.csv": (
        ADULT,
        "data/adult.csv",
        "c700df9304fbf3c4d4db5938bffc510561bd4a2dfad285a3feef9a20619391c5",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_age.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_age.csv",
        "463f35372e8b1ad31fc624eb73c5da9297878a044ae5d61038eaf7b431ac55ca",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_education.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_education.csv",
        "f22e5ee519c28b05538d4e5ddea0fbee5f0017fefb3abab3fa02272325bf9ce5",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_marital-status.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_marital-status.csv",
        "3e7ba2c4a5cd4fec059b4e3a2c57fce6e7c34a20daee1e624990ddd7beba85e5",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_native-country.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_native-country.csv",
        "5af334933d939854aa6ff74c21f38c5484a99b566538c3d83946dd3c54ffaa3f",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_occupation.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_occupation.csv",
        "16dc420d5d7f8ab4d1e6144eb1d19ab8314ef42523fe8c4ee202372db1c98126",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_race.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_race.csv",
        "df11abf41fa0669455adc9c9f9fa88663afa0cee8327684ecca861cd32dc4209",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_salary-class.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_salary-class.csv",
        "404895b3fcfb615813efab7ae0d2c50c8b127cec651f9b37d44a648646f86345",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_sex.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_sex.csv",
        "537d23f7b6969b916b5a5490eb1b32c273fefdc62ca050a7a813e23bbf3b78b2",
    ),
    "adult/hierarchies_2016_paper/adult_hierarchy_workclass.csv": (
        ADULT_HIERARCHIES,
        "data/adult_hierarchy_workclass.csv",
        "106f420349bf0071dbb25371795a78799edf24a64c3424619d563c3990ee8d02",
    ),
    "cup/cup.csv": (
        CUP,
        "data/cup.csv",
        "6260883a3e911dc96f3533eac0c52e0591c33caa79d978695dc8c99438612c63",
    ),
    "cup/hierarchies/cup_hierarchy_AGE.csv": (
        CUP,
        "hierarchies/cup_hierarchy_AGE.csv",
        "2e10f04ae0978497efa68ae5d49a3d20a518d72387c91371da3796f093c289db",
    ),
    "cup/hierarchies/cup_hierarchy_GENDER.csv": (
        CUP,
        "hierarchies/cup_hierarchy_GENDER.csv",
        "114bfeeda7af73b570b6382a20c0d77143c869f8a1b42dd6361c58596efa49a0",
    ),
    "cup/hierarchies/cup_hierarchy_INCOME.csv": (
        CUP,
        "hierarchies/cup_hierarchy_INCOME.csv",
        "372993f5e310de5ac952c2be8716aa5db190dfc53bfa0f1988d274ea213d445d",
    ),
    "cup/hierarchies/cup_hierarchy_MINRAMNT.csv": (
        CUP,
        "hierarchies/cup_hierarchy_MINRAMNT.csv",
        "55216addbe49387cd5da16f8b341ed882356b82b44572cad2ee2c415047ace23",
    ),
    "cup/hierarchies/cup_hierarchy_NGIFTALL.csv": (
        CUP,
        "hierarchies/cup_hierarchy_NGIFTALL.csv",
        "e63d961edd5bdcd63a0a678c8efd01803809994dce0cb7196fa6247b131e1cf4",
    ),
    "cup/hierarchies/cup_hierarchy_RAMNTALL.csv": (
        CUP,
        "hierarchies/cup_hierarchy_RAMNTALL.csv",
        "ff0a8b9f140475f90b2a32b9a0873b6e10dc4500b871226478e55653daaa4acc",
    ),
    "cup/hierarchies/cup_hierarchy_STATE.csv": (
        CUP,
        "hierarchies/cup_hierarchy_STATE.csv",
        "19bf1837db9ba5a53d8a3a3067916e04bc611bbcdf13dd711ebeee8d7888b666",
    ),
    "cup/hierarchies/cup_hierarchy_ZIP.csv": (
        CUP,
        "hierarchies/cup_hierarchy_ZIP.csv",
        "db5a55d9c668597b9be8f5f2f38c7f509734e432fddb482109c0c7f8d684c8d5",
    ),
    "adult_uci/adult.data": (
        ADULT_UCI,
        "data/adult.data",
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    "adult_uci/adult.test": (
        ADULT_UCI_TEST,
        "data/adult.test",
        "5c8e678e04c82a07182bbcb6667c9a06faaba123a55b409af7c5d21fb45784b3",
    ),
}
"""The origin, the path in the repository, and the SHA-256 digest of each file."""

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
        f"hierarchies/fars_hierarchy_*.csv of {CUP.repository} at commit {CUP.commit}; put the "
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
        registry={path: f"sha256:{sha256}" for path, (_, _, sha256) in FILES.items()},
        urls={path: origin.url(there) for path, (origin, there, _) in FILES.items()},
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
