"""Which worker of pytest-xdist runs which tests.

One worker runs all tests of a file, so it makes the fixtures of the file once. Folders whose tests
share a server, a browser, or compiled kernels stay together, too.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

SHARED = {
    "engines": "servers",
    "web/browser": "browser",
    "search/recoding": "kernels of recodings",
    "kernels/recoding": "kernels of recodings",
}
"""The folders of tests that share more than a file does, and what they share."""


def together(nodeid: str) -> str:
    """Return the name of the group of a test; one worker runs a whole group."""
    file = nodeid.partition("::")[0].removeprefix("tests/")
    return next((SHARED[folder] for folder in SHARED if file.startswith(f"{folder}/")), file)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Give each worker one group after the other, in the order of the collection.

    The option ``--dist loadgroup`` writes the groups into the IDs of tests. Since pytest 9.2, an ID
    can no longer be changed there, and xdist 3.8 then spreads the tests one by one.
    """

    def _split_scope(self, nodeid: str) -> str:
        return together(nodeid)
