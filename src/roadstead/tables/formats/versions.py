"""The versions of the libraries that write files, because the bytes can differ by version."""

from __future__ import annotations


def version_of(package: str) -> str:
    """Return the name of a package with its version."""
    from importlib.metadata import version  # noqa: PLC0415 - seldom used

    return f"{package} {version(package)}"
