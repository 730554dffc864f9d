"""The one known name that somebody meant who wrote another: for every message that offers one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like this one, whatever its case and blanks, if any is."""
    folded = {one.strip().casefold(): one for one in known}
    near = get_close_matches(name.strip().casefold(), list(folded), n=1)
    return folded[near[0]] if near else None


def did_you_mean(
    name: str,
    known: Iterable[str],
    otherwise: str | None = None,
    *,
    show: Callable[[str], str] = str,
) -> str:
    """Return how to correct a name that is not known: by the nearest that is, and no others.

    Where no name is near, `otherwise`; or all that are known. `show` writes the one name.
    """
    names = list(known)
    meant = nearest(name, names)
    if meant is not None:
        return f"did you mean {show(meant)}?"
    return f"use one of {', '.join(names)}" if otherwise is None else otherwise
