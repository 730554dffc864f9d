"""Generate the cohort, a table of text columns that is sampled from published figures.

Each patient is sampled from the joint distribution of diagnosis, sex, and age. The home is sampled
in proportion to the population, and the race is sampled among the residents of the home's ZIP code.
Home and race are independent of age and diagnosis. All other values depend on these values.
Finally, a few values are removed, because values are also missing in real discharge data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from roadstead.cohort.diagnoses import CODES, CODES_BY_GROUP, JOINT, STAYS
from roadstead.cohort.draws import Floats
from roadstead.cohort.people import (
    ADULTS_BY_RACE,
    RACES,
    RESIDENTS,
    SEXES,
    ZIPS,
    birth_dates,
    full_names,
)
from roadstead.cohort.stays import OUTCOMES, admission_dates, lengths_of_stay, outcomes
from roadstead.errors import OutputError, SettingError
from roadstead.regular_files import csv_bytes, write_whole

MISSING: Final = {"race": 0.04, "zip": 0.021, "outcome": 0.001}
"""The share of values that are removed.

ZIP: 45,062 of 2,101,588 discharges of New York hospitals in 2021 (SPARCS, de-identified file).
Outcome: 42,000 of 39.9 million stays (HCUP Facts and Figures 2008, exhibit 1.5). Values of race are
missing more often than values of ZIP or outcome. The share of missing races differs by state and
year; 4% is an assumption.
"""

_DRAWS: Final = (
    "person",
    "code",
    "home",
    "race",
    "first name",
    "last name",
    "admission",
    "outcome",
    "stay",
    "birth",
    "record",
    "digit",
    "lost race",
    "lost zip",
    "lost outcome",
)


def generate(patients: int = 20_000, seed: int = 2026) -> dict[str, list[str]]:
    """Generate a cohort of patients, sorted by day of admission.

    Parameters
    ----------
    patients
        The number of patients, which must be at least 1.
    seed
        The seed of NumPy's default generator. The same number of patients and the same seed give
        the same text on every platform.

    Returns
    -------
    dict
        The columns, each as a list with one string per patient. Dates are in ISO format
        (2018-01-31), ZIP codes have five digits, and a missing value is the empty string.

    Raises
    ------
    SettingError
        If `patients` is less than 1, or the seed is negative.
    """
    if patients < 1:
        raise SettingError(
            f"a cohort of {patients} patients", where="patients", fix="request at least one patient"
        )
    if seed < 0:
        raise SettingError(f"the seed {seed} is negative", where="seed", fix="give 0 or more")
    numbers = np.random.default_rng(seed).random((len(_DRAWS), patients))
    uniform: dict[str, Floats] = dict(zip(_DRAWS, numbers, strict=True))

    cell = JOINT.draw(uniform["person"])
    group, sex, age = (
        np.asarray(part, dtype=np.int64) for part in np.unravel_index(cell, STAYS.shape)
    )
    admission = admission_dates(group, uniform["admission"])
    home = RESIDENTS.draw(uniform["home"])
    race = ADULTS_BY_RACE.draw(uniform["race"], home)
    outcome = outcomes(group, age, uniform["outcome"])
    stay = lengths_of_stay(group, age, outcome, uniform["stay"])
    code = CODES_BY_GROUP.draw(uniform["code"], 2 * group + sex)
    birth = birth_dates(admission, age, uniform["birth"])
    # Ranks of random numbers are distinct and independent of the order of admission.
    serial = 10 * np.argsort(uniform["record"], kind="stable") + np.floor(10 * uniform["digit"])

    columns = {
        "record_number": [f"R{number:08d}" for number in serial.astype(np.int64).tolist()],
        "name": full_names(sex, race, uniform["first name"], uniform["last name"]),
        "birth_date": birth.astype(str).tolist(),
        "sex": np.array(SEXES)[sex].tolist(),
        "race": _lose(np.array(RACES)[race], uniform["lost race"], MISSING["race"]),
        "zip": _lose(np.array(ZIPS)[home], uniform["lost zip"], MISSING["zip"]),
        "admission_date": admission.astype(str).tolist(),
        "diagnosis": np.array(CODES)[code].tolist(),
        "length_of_stay": stay.astype(str).tolist(),
        "outcome": _lose(np.array(OUTCOMES)[outcome], uniform["lost outcome"], MISSING["outcome"]),
    }
    order = np.argsort(admission, kind="stable").tolist()
    return {column: [values[row] for row in order] for column, values in columns.items()}


def _lose(values: NDArray[np.str_], uniform: Floats, share: float) -> list[str]:
    """Replace a share of the values with the empty string."""
    kept: list[str] = np.where(uniform < share, "", values).tolist()
    return kept


def write_csv(path: Path, patients: int = 20_000, seed: int = 2026) -> Path:
    """Write the cohort of `generate` to a CSV file in UTF-8 with a header.

    The file is written completely or not at all. The function raises an `OutputError` if the file
    exists or cannot be written.
    """
    if path.exists():
        raise OutputError(
            "the file already exists",
            where=str(path),
            fix="use another file name, or remove this file",
        )
    columns = generate(patients, seed)
    try:
        write_whole(path, csv_bytes([[*columns], *zip(*columns.values(), strict=True)], ","))
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise OutputError(
            f"cannot be written ({reason.lower()})",
            where=str(path),
            fix="choose an existing folder that you can write to and that has free space",
        ) from problem
    return path
