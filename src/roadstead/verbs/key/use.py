"""Check whether a key is needed and where it is stored."""

from __future__ import annotations

from pathlib import Path

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.release.certificate import in_release
from roadstead.release.persons.pseudonyms import Pseudonyms, read_key


def require_use_of_key(key: Path | None, *, used: bool, policy: bool = False) -> None:
    """Reject a key that is not needed because the release has neither pseudonyms nor shifted dates.

    If `policy` is true, the policy, rather than the request, decides about pseudonyms and shifts.
    """
    if key is not None and not used:
        what = "nothing uses the key, because no pseudonyms are made and no dates are shifted"
        fix = f"add {option('link', 'pseudonym')}, or leave {option('key')} out"
        if policy:
            what = "the policy does not make pseudonyms or shift dates, so nothing uses the key"
            fix = f"leave {option('key')} out"
        raise SettingError(what, where=option("key"), fix=fix)


def pseudonyms_by(key: Path | None, out: Path | None) -> Pseudonyms:
    """Create pseudonyms from a given key, or from a new key that is not stored.

    Anyone with the key can find every person, so a key in the folder of the release is rejected.
    """
    if key is None:
        return Pseudonyms.forgotten()
    require_no_release(key, out)
    return Pseudonyms(read_key(key), keyed=True)


PSEUDONYMS = "find every person"
SIGNING = "sign in your name"
"""What a person can do with a signing key."""


def require_no_release(key: Path, out: Path | None = None, power: str = PSEUDONYMS) -> None:
    """Reject a key inside a release folder, even if the folder does not exist yet."""
    if in_release(key, out):
        raise SettingError(
            f"this file is in the folder of a release, and any recipient of the folder can {power} "
            "with the key",
            where=f"the key {key}",
            fix="keep the key in another folder; if this key was shared, make a new key",
        )
