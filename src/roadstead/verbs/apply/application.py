"""What can be done with an applied policy: read it, or write it as a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from roadstead.release.publish import publish_release
from roadstead.release.verification.checks import Verification
from roadstead.verbs.apply.applied import Applied


class Application(Applied):
    """An applied policy, with the release it leads to."""

    def write(
        self, out: str | Path, *, into: str | None = None, force: bool = False
    ) -> Verification:
        """Write the release, verified, into a new folder; as `Anonymization.write`."""
        _ = self.added  # counted now: once the release streams, the engine is not to be asked
        draft = replace(self.draft, report=self._report)
        return publish_release(draft, Path(out), into, force=force)

    def _report(self) -> str:
        from roadstead.verbs.anonymize.reporting import (  # noqa: PLC0415 - charts are heavy
            report_of_application,
        )

        return report_of_application(self)
