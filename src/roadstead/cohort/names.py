"""Names: first names by sex, last names by race.

First names: U.S. Census Bureau, "Frequently Occurring Surnames from Census 1990 - Names Files",
files dist.female.first and dist.male.first: the fifty most frequent with their share in percent.
Last names: "Frequently Occurring Surnames from the 2010 Census": the most frequent with the number
of people who bear them and the share of each race among those. Both are in the public domain.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from roadstead.cohort.draws import Floats, Indices, Table

_WOMEN: Final = """
Mary 2.629 Patricia 1.073 Linda 1.035 Barbara 0.980 Elizabeth 0.937 Jennifer 0.932 Maria 0.828
Susan 0.794 Margaret 0.768 Dorothy 0.727 Lisa 0.704 Nancy 0.669 Karen 0.667 Betty 0.666 Helen 0.663
Sandra 0.629 Donna 0.583 Carol 0.565 Ruth 0.562 Sharon 0.522 Michelle 0.519 Laura 0.510 Sarah 0.508
Kimberly 0.504 Deborah 0.494 Jessica 0.490 Shirley 0.482 Cynthia 0.469 Angela 0.468 Melissa 0.462
Brenda 0.455 Amy 0.451 Anna 0.440 Rebecca 0.430 Virginia 0.430 Kathleen 0.424 Pamela 0.416
Martha 0.412 Debra 0.408 Amanda 0.404 Stephanie 0.400 Carolyn 0.385 Christine 0.382 Marie 0.379
Janet 0.379 Catherine 0.373 Frances 0.370 Ann 0.364 Joyce 0.364 Diane 0.359
"""
_MEN: Final = """
James 3.318 John 3.271 Robert 3.143 Michael 2.629 William 2.451 David 2.363 Richard 1.703
Charles 1.523 Joseph 1.404 Thomas 1.380 Christopher 1.035 Daniel 0.974 Paul 0.948 Mark 0.938
Donald 0.931 George 0.927 Kenneth 0.826 Steven 0.780 Edward 0.779 Brian 0.736 Ronald 0.725
Anthony 0.721 Kevin 0.671 Jason 0.660 Matthew 0.657 Gary 0.650 Timothy 0.640 Jose 0.613 Larry 0.598
Jeffrey 0.591 Frank 0.581 Scott 0.546 Eric 0.544 Stephen 0.540 Andrew 0.537 Raymond 0.488
Gregory 0.441 Joshua 0.435 Jerry 0.432 Dennis 0.415 Walter 0.399 Patrick 0.389 Peter 0.381
Harold 0.371 Douglas 0.367 Henry 0.362 Carl 0.346 Arthur 0.335 Ryan 0.328 Roger 0.322
"""

# Name, bearers, and the percentage of them that is White, Black, Hispanic, Asian or Pacific
# Islander, American Indian or Alaska Native, and of two or more races: the order of places.RACES.
_LAST: Final = """
Smith 2442977 70.9 23.11 2.4 0.5 0.89 2.19; Johnson 1932812 58.97 34.63 2.36 0.54 0.94 2.56
Williams 1625252 45.75 47.68 2.49 0.46 0.82 2.81; Brown 1437026 57.95 35.6 2.52 0.51 0.87 2.55
Jones 1425470 55.19 38.48 2.29 0.44 1 2.61; Garcia 1166120 5.38 0.45 92.03 1.41 0.47 0.26
Miller 1161437 84.11 10.76 2.17 0.54 0.66 1.77; Davis 1116357 62.2 31.6 2.44 0.49 0.82 2.45
Rodriguez 1094924 4.75 0.54 93.77 0.57 0.18 0.18; Martinez 1060159 5.28 0.49 92.91 0.6 0.51 0.22
Hernandez 1043281 3.79 0.36 94.89 0.6 0.19 0.16; Lopez 874523 4.86 0.57 92.92 1.02 0.38 0.25
Gonzalez 841025 4.03 0.35 94.97 0.38 0.14 0.13; Wilson 801882 67.36 25.99 2.61 0.6 1.06 2.38
Anderson 784404 75.17 18.93 2.44 0.61 0.74 2.11; Thomas 756142 52.63 38.75 2.54 2.44 1.07 2.58
Taylor 751209 65.38 28.42 2.46 0.56 0.76 2.41; Moore 724374 66.41 27.74 2.34 0.48 0.68 2.34
Jackson 708099 39.89 53.04 2.5 0.39 1.06 3.12; Martin 702625 74.8 15.76 5.56 0.9 0.98 2.02
Lee 693023 35.95 16.33 1.89 42.22 0.97 2.64; Perez 681645 4.96 0.45 92.95 1.17 0.2 0.26
Thompson 664644 69.78 23.57 2.49 0.57 1.22 2.37; White 660491 65.51 28.17 2.38 0.49 1.07 2.38
Harris 624252 51.4 42.39 2.26 0.47 0.67 2.8; Sanchez 612752 4.98 0.45 92.99 0.96 0.37 0.24
Clark 562679 74.65 19.02 2.58 0.54 1.01 2.19; Ramirez 557423 3.89 0.31 94.48 0.93 0.2 0.19
Lewis 531781 58.23 34.84 2.58 0.56 1.2 2.58; Robinson 529821 48.7 44.93 2.61 0.46 0.53 2.77
Walker 523129 58.66 35.05 2.41 0.45 0.87 2.55; Young 484447 66.26 24.67 2.58 3.03 0.79 2.66
Allen 482607 67.59 26.17 2.47 0.54 0.86 2.38; King 465422 70.16 22.76 2.55 1.23 0.98 2.31
Wright 458980 65.8 28.23 2.36 0.51 0.69 2.41; Scott 439530 60.21 32.92 2.58 0.51 1.18 2.59
Torres 437813 5.35 0.57 92.16 1.43 0.2 0.28; Nguyen 437645 0.95 0.12 0.63 96.45 0.03 1.83
Hill 434827 64.36 29.12 2.51 0.53 0.97 2.51; Flores 433969 4.87 0.42 91.94 2.08 0.34 0.36
Green 430182 56.84 36.97 2.64 0.44 0.64 2.47; Adams 427865 74.02 19.9 2.57 0.56 0.79 2.16
Nelson 424958 77.66 15.97 2.55 0.67 1.16 2; Baker 419586 79.83 14.44 2.28 0.56 0.87 2.02
Hall 407076 72.65 21.59 2.25 0.64 0.65 2.22; Rivera 391114 5.4 0.95 91.06 2.04 0.18 0.37
Campbell 386157 73.66 20.47 2.49 0.53 0.71 2.13; Mitchell 384486 61.02 32.5 2.47 0.48 1.04 2.5
Carter 376966 58.2 35.59 2.34 0.45 0.78 2.65; Roberts 376774 77.27 16.72 2.4 0.61 0.85 2.15
Gomez 365655 5.12 0.75 92.6 1.01 0.26 0.26; Phillips 360802 76.69 17.09 2.44 0.58 1.03 2.17
Evans 355593 68.39 25.72 2.39 0.47 0.74 2.3; Turner 348627 64.25 30.13 2.23 0.42 0.6 2.38
Diaz 347636 5.19 0.65 92.56 1.19 0.16 0.25; Parker 336221 69.17 24.79 2.27 0.54 0.88 2.35
Cruz 334201 5.17 0.8 87.88 5.19 0.27 0.7; Edwards 332423 62.13 31.63 2.5 0.5 0.77 2.47
Collins 329770 71.61 22.43 2.47 0.49 0.77 2.23; Reyes 327904 4.41 0.59 88.58 5.58 0.24 0.59
Stewart 324957 69.17 24.86 2.47 0.48 0.77 2.24; Morris 318884 73.59 20.08 2.55 0.57 0.98 2.24
Morales 311777 4.63 0.57 93.23 1.18 0.17 0.21; Murphy 308417 83.11 11.53 2.34 0.58 0.68 1.76
Cook 302589 81.8 12.55 2.17 0.57 0.92 1.98; Rogers 302261 75.4 18.53 2.6 0.54 0.82 2.1
Gutierrez 293218 4.57 0.24 93.33 1.4 0.25 0.2; Ortiz 286899 4.96 0.64 93.11 0.67 0.37 0.25
Morgan 286280 76.07 17.27 2.78 0.54 1.24 2.1; Peterson 278297 84.39 10.09 2.4 0.66 0.74 1.72
Kelly 267394 78.09 16.22 2.69 0.64 0.54 1.81; Kim 262352 2.52 0.39 0.65 94.47 0.02 1.96
Patel 229973 2.1 0.38 0.44 94.78 0.65 1.65; Tran 188498 1.35 0.1 0.81 96 0.03 1.7
Washington 177386 5.17 87.53 2.54 0.3 0.68 3.78; Chen 169580 1.4 0.3 0.52 96.12 0.02 1.64
"""


def _first(text: str) -> tuple[tuple[str, ...], Floats]:
    words = text.split()
    return tuple(words[::2]), np.array([float(share) for share in words[1::2]])


_WOMEN_NAMES, _WOMEN_SHARES = _first(_WOMEN)
_MEN_NAMES, _MEN_SHARES = _first(_MEN)
_LAST_ROWS: Final = [row.split() for row in _LAST.replace(";", "\n").strip().splitlines()]

FIRST_NAMES: Final = np.array([*_WOMEN_NAMES, *_MEN_NAMES])
LAST_NAMES: Final = np.array([row[0] for row in _LAST_ROWS])

_FIRST: Final = Table(
    np.array(
        [
            np.concatenate([_WOMEN_SHARES, np.zeros(len(_MEN_NAMES))]),
            np.concatenate([np.zeros(len(_WOMEN_NAMES)), _MEN_SHARES]),
        ]
    )
)
_BEARERS: Final = np.array([float(row[1]) for row in _LAST_ROWS])
_RACE_SHARES: Final = np.array([[float(share) for share in row[2:]] for row in _LAST_ROWS])
_LAST_BY_RACE: Final = Table((_BEARERS[:, None] * _RACE_SHARES).T)


def full_names(sex: Indices, race: Indices, first: Floats, last: Floats) -> list[str]:
    """Draw "First Last" for each patient.

    Parameters
    ----------
    sex, race
        Positions in `people.SEXES` and `places.RACES`.
    first, last
        Uniform numbers in [0, 1).
    """
    given = FIRST_NAMES[_FIRST.draw(first, sex)].tolist()
    family = LAST_NAMES[_LAST_BY_RACE.draw(last, race)].tolist()
    return [f"{one} {other}" for one, other in zip(given, family, strict=True)]
