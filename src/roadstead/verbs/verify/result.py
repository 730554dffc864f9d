"""Display the result of a verification in a notebook as a table of checks."""

from __future__ import annotations

from dataclasses import dataclass, fields

from roadstead.release.verification.checks import Verification


@dataclass(frozen=True, repr=False)
class ShownVerification(Verification):
    """A `Verification` that displays itself in a notebook."""

    @classmethod
    def of(cls, verification: Verification) -> ShownVerification:
        """Convert a verification with all its findings to this class."""
        return cls(**{own.name: getattr(verification, own.name) for own in fields(Verification)})

    def _repr_html_(self) -> str:
        from roadstead.reports.verification import in_notebook  # noqa: PLC0415 - only notebooks

        return in_notebook(self)
