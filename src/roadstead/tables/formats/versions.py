"""Report the versions of the libraries that write files, because the bytes may depend on them."""

from __future__ import annotations


def version_of(package: str) -> str:
    """Return the name and version of a package."""
    from importlib.metadata import version  # noqa: PLC0415 - seldom used

    return f"{package} {version(package)}"
