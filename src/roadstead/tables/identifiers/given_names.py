"""Given names that are common in the United States.

A text that begins with one, or has one after a comma, may be a person's name. They need not be
complete: of the people of the country about half have one of them.

Source: U.S. Census Bureau, frequently occurring first names, Census 1990. Public domain.
"""

from __future__ import annotations

from typing import Final

_COMMON: Final = """
james john robert michael william david richard charles joseph thomas christopher daniel paul
mark donald george kenneth steven edward brian ronald anthony kevin jason matthew gary timothy
jose larry jeffrey frank scott eric stephen andrew raymond gregory joshua jerry dennis walter
patrick peter harold douglas henry carl arthur ryan roger joe juan jack albert jonathan justin
terry gerald keith samuel willie ralph lawrence nicholas roy benjamin bruce brandon adam harry
fred wayne billy steve louis jeremy aaron randy howard eugene carlos russell bobby victor martin
ernest phillip todd jesse craig alan shawn clarence sean philip chris johnny earl jimmy antonio
mary patricia linda barbara elizabeth jennifer maria susan margaret dorothy lisa nancy karen
betty helen sandra donna carol ruth sharon michelle laura sarah kimberly deborah jessica shirley
cynthia angela melissa brenda amy anna rebecca virginia kathleen pamela martha debra amanda
stephanie carolyn christine marie janet catherine frances ann joyce diane alice julie heather
teresa doris gloria evelyn jean cheryl mildred katherine joan ashley judith rose janice kelly
nicole judy christina kathy theresa beverly denise tammy irene jane lori rachel marilyn andrea
kathryn louise sara anne jacqueline wanda bonnie julia ruby lois tina phyllis norma paula diana
annie lillian emily robin peggy crystal gladys rita dawn connie florence tracy edna tiffany
carmen rosa cindy grace wendy victoria edith kim sherry sylvia josephine thelma shannon sheila
ethel ellen elaine marjorie carrie charlotte monica esther pauline emma juanita anita rhonda
"""

GIVEN_NAMES: Final = frozenset(_COMMON.split())
"""In small letters."""
