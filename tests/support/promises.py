"""Privacy requirements of a release, in the words that Roadstead writes for its certificate."""

from pathlib import Path

from roadstead.privacy.settings import model_from
from roadstead.release.certificate import CERTIFICATE, promise_of, read_certificate


def promise_in(folder: Path) -> str:
    """Return the promise of the release in a folder."""
    _, policy = read_certificate(folder / CERTIFICATE)
    return promise_of(policy, [model_from(one, where=CERTIFICATE) for one in policy.privacy])
