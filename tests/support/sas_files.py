"""A small SAS table with its catalog, and transport files with types of missing values.

The library ReadStat wrote the table and the catalog, because no Python library can write them.
"""

from __future__ import annotations

import base64
import lzma
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd
import pyreadstat

_TABLE = (
    "{Wp48S^xk9=GL@E0stWa8~^|S5YJf5;6MKX?p*)?Y*w8@&hbk))GqVuUZg-QwrD0^?X<yj{nyG2C`1P-4ZYC4pp#KQA%"
    "OxZ{SnojlzWvy{C4g={>~hqUS77O8dq)XDITk)PX+QGr$jUm;dTJH=BN$Z^Sve~Wxq%m;WWY(ha2z9H(ehZppRbpO=r)"
    "VUW*`~NQ4kA(!6*CS6B)C<H@v6=D>e(N8pf&sa;Mf9_LaJLVX*4i}Y(V&o2frZL6&V5!4zE#02n`f?LFuD6+vB4^9h_("
    "uKpt>pgasQcd~g<=vdqRX><)24;_cb~Q$w{Gx&SD%=gs=L^)|X;JEn%GDZ$IDfGgMq9Z-%sCIz{FLru1W@kmTGUa7T!g"
    "2n4{o~)!Ykbr)hXfVu8(@rhO%QvzCAo{Lco&I0zXzaWTsM2vA1l3o^A-|+@)rc+z*z0Mmrr?vuz_w#(*b5S0r5GrW@5%"
    ">aE;}>YJ?8fQMS$Hr)xpqB_Pef{=$l9-skqN$ojz{pc&)Io8t@u`ENS1Tfw-nLnv?jYa?_icG)TC-*uR71O`!MzCz@15"
    "NL+055+p*&D<jg(DGcDmm7JRjT-II7q!LPMcigP(5?h(C7i+c-~}y-C}!$liH^SL9N+9-sZGV7lB|$^Pya{k-(%<4eVf"
    "5=ya^SD+qOD00000wV8xWnksB900D{wfPeu2S=ou4vBYQl0ssI200dcD"
)

_CATALOG = (
    "{Wp48S^xk9=GL@E0stWa8~^|S5YJf5;6wia&RqZiY*w8@&izXW)GqVuUZg-QwrD0^?X<yi0k<(5Z7WgLY$@hyoSR>i;m"
    "l}n_QFXJzT@5_VR{yguQl!n&}7cFwAUbx?;F}FXz?&rtxq4+M*3~=fho+7272Ruj69XEinAri##U$VEq_169M`Q2sy0x"
    "7r&!dXA}g9Bg5XVIGwJ;Wx;E5$BVv7I-T5CAF3g;bVJ^c4&!~3e3B`8<{HS}+vaiD+`&~~Q*#VB$J0F1_#v7v11YRfYn"
    "k#Piex{&4p%2Ec?*d?A!2kdNJRm{ccW3Ly00HU&fQSJA%LtBAvBYQl0ssI200dcD"
)


def sas_table(folder: Path) -> Path:
    """Write `visits.sas7bdat` and `formats.sas7bcat`, and return the path of the table.

    There are 60 visits with sex (1 and 2, with labels in the catalog), income (`.a`, `.b`, 20, 30,
    and 40 in turn, one `._`, and one plain missing value), ward, and seen (MMYY7.).
    """
    for name, content in (("visits.sas7bdat", _TABLE), ("formats.sas7bcat", _CATALOG)):
        (folder / name).write_bytes(lzma.decompress(base64.b85decode(content)))
    return folder / "visits.sas7bdat"


def transport(
    path: Path, columns: Mapping[str, Sequence[float | str]], version: Literal[5, 8]
) -> Path:
    """Write a transport file with columns of numbers, in which a letter is a missing value."""
    numbers = {
        name: [float("nan") if isinstance(one, str) else float(one) for one in values]
        for name, values in columns.items()
    }
    pyreadstat.write_xport(pd.DataFrame(numbers), str(path), file_format_version=version)
    content = bytearray(path.read_bytes())
    start = content.index(b"HEADER RECORD*******OBS") + 80
    for column, values in enumerate(columns.values()):
        for row, value in enumerate(values):
            if isinstance(value, str):
                struct.pack_into(
                    "c", content, start + 8 * (row * len(columns) + column), value.encode()
                )
    path.write_bytes(content)
    return path
