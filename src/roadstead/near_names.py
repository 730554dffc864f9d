"""Find the known name that a user probably meant, so that error messages can suggest it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

_FEW = 12
"""The number of keys that are listed if a table has no known key."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, or None if no name is similar.

    Case and surrounding spaces are ignored.
    """
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
    """Return a hint on how to correct an unknown name, based on the most similar known name.

    If no known name is similar, return `otherwise`, or list all known names if `otherwise` is None.
    `show` formats each name.
    """
    names = list(known)
    meant = nearest(name, names)
    if meant is not None:
        return f"did you mean {show(meant)}?"
    return f"use one of {', '.join(names)}" if otherwise is None else otherwise


def did_you_mean_key(keys: Sequence[str], known: Iterable[Sequence[str]]) -> str:
    """Return a hint on how to correct an unknown key of a settings file.

    Each key is given with the tables that contain it. The hint names the most similar key. If
    several tables contain this key, the table of the unknown key is preferred. If no key is
    similar, the hint lists the keys of the table.
    """
    known = list(known)
    alongside = [one for one in known if tuple(one[:-1]) == tuple(keys[:-1])]
    near = nearest(keys[-1], [one[-1] for one in known])
    if near is not None:
        meant = next(one for one in (*alongside, *known) if one[-1] == near)
        return f"did you mean {'.'.join(meant)}?"
    return f"use one of {', '.join(one[-1] for one in alongside or known[:_FEW])}"
