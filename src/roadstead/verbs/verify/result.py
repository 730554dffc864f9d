"""What a verification found, as a notebook shows it: a table of the checks."""

from __future__ import annotations

from dataclasses import dataclass, fields

from roadstead.release.verification.checks import Verification


@dataclass(frozen=True, repr=False)
class ShownVerification(Verification):
    """A `Verification` that shows itself in a notebook."""

    @classmethod
    def of(cls, verification: Verification) -> ShownVerification:
        """Give it with all that was found."""
        return cls(**{own.name: getattr(verification, own.name) for own in fields(Verification)})

    def _repr_html_(self) -> str:
        from roadstead.reports.verification import in_notebook  # noqa: PLC0415 - only notebooks

        return in_notebook(self)
