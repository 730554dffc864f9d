"""Two folders change places in one step, where the system and its file system can do that.

Linux has `renameat2`, macOS `renamex_np`. At no moment is one of the two names without a folder, so
a kill or a power cut leaves the former one or the new one there, whole.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_HERE = -100
"""Linux's AT_FDCWD: names are those of the working folder."""
_EXCHANGE = 2
"""RENAME_EXCHANGE on Linux, RENAME_SWAP on macOS."""
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)
"""What an old kernel, a file system without it or a strict container answers."""


def exchange(one: Path, other: Path) -> bool:
    """Let two folders next to each other change places.

    Returns whether they did; if not, this system cannot, and both are where they were.
    """
    names = os.fsencode(one), os.fsencode(other)
    libc: Any = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        failed = libc.renamex_np(*names, ctypes.c_uint(_EXCHANGE))
    elif sys.platform == "linux" and hasattr(libc, "renameat2"):
        here = ctypes.c_int(_HERE)
        failed = libc.renameat2(here, names[0], here, names[1], ctypes.c_uint(_EXCHANGE))
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(other))
