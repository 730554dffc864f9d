"""Three-digit ZIP areas in which more than 20,000 people live, and so may be told.

Safe Harbor lets the first three digits of a ZIP code stand if all ZIP codes that begin with them
have more than 20,000 inhabitants together, by current data of the Bureau of the Census; the others
become 000. By Census 2010 the areas below have. Of the areas with ZIP Code Tabulation Areas, these
have not: 036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893. In areas that
are neither here nor there the census counted nobody, so they are restricted too.

Source: U.S. Census Bureau, Census 2010 Gazetteer, population by ZIP Code Tabulation Area, added up
by the first three digits (United States and Puerto Rico). Public domain.
"""

from __future__ import annotations

from typing import Final

_MORE_THAN_20_000: Final = """
006-007 009-035 037-054 056-058 060-089 100-101 103-191 193-201 206-212 214-268 270-310 312-331
333-339 341-342 344-344 346-347 349-352 354-368 370-374 376-398 400-418 420-427 430-458 460-508
510-516 520-528 530-532 534-535 537-551 553-554 557-567 570-577 580-588 590-620 622-631 633-641
644-648 650-658 660-662 664-681 683-691 693-693 700-701 703-708 710-714 716-731 734-741 743-752
754-770 773-816 820-820 822-822 824-838 840-841 843-847 850-853 855-857 859-860 863-865 870-871
873-875 877-877 880-883 890-891 894-895 897-898 900-900 902-908 910-928 930-937 939-941 943-961
967-968 970-986 988-999
"""


def _areas() -> frozenset[str]:
    spans = (span.split("-") for span in _MORE_THAN_20_000.split())
    return frozenset(f"{area:03d}" for a, b in spans for area in range(int(a), int(b) + 1))


POPULOUS_AREAS: Final = _areas()
"""Their three digits."""


def is_restricted(area: str) -> bool:
    """Whether three digits may not be told, by Census 2010."""
    return area not in POPULOUS_AREAS
