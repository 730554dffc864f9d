"""What a verification finds: one answer a check, with the evidence in words."""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.errors import VerificationError


@dataclass(frozen=True)
class Check:
    """One thing that was checked, whether it holds, and the evidence in words."""

    check: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Verification:
    """All checks of a release or a table.

    Attributes
    ----------
    checks
        The checks.
    unchecked
        What a release says that nobody can check from its files, in words.
    """

    checks: tuple[Check, ...]
    unchecked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all checks hold."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.passed)

    def __repr__(self) -> str:
        answer = "passed" if self.passed else f"FAILED, first {self.failed[0].check!r}"
        return (
            f"<{type(self).__name__}: {answer}; {len(self.checks) - len(self.failed)} of "
            f"{len(self.checks)} checks hold>"
        )

    def require(self, *, where: str) -> None:
        """Raise unless all checks hold.

        Raises
        ------
        VerificationError
            Names the first check that fails.
        """
        if not self.passed:
            first = self.failed[0]
            raise VerificationError(f"{first.check}: {first.detail}", where=where)


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
