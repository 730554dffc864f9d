"""Roles are explicit, and fit the table or are refused."""

from __future__ import annotations

import pytest

from roadstead.errors import RoleError
from roadstead.tables.roles import Roles

COLUMNS = ("patient", "age", "sex", "zip", "diagnosis")


def test_roles_that_fit_pass_and_leave_the_rest_undeclared() -> None:
    roles = Roles(quasi=("zip", "age"), sensitive=("diagnosis",), identifiers=("patient",))
    roles.check(COLUMNS)
    assert roles.undeclared(COLUMNS) == ("sex",)
    assert roles.quasi == ("zip", "age")


@pytest.mark.parametrize(("wrong", "meant"), [("agee", "age"), ("ZIP", "zip"), (" sex", "sex")])
def test_an_unknown_column_is_refused_with_a_near_miss(wrong: str, meant: str) -> None:
    with pytest.raises(RoleError, match=f"no such column; did you mean '{meant}'"):
        Roles(quasi=(wrong,)).check(COLUMNS)


def test_without_a_near_miss_the_columns_are_listed() -> None:
    with pytest.raises(RoleError, match="its columns are patient, age, sex, zip, diagnosis"):
        Roles(quasi=("weight",)).check(COLUMNS)
    many = [f"q{at}" for at in range(40)]
    with pytest.raises(RoleError, match="it has 40 columns, such as q0, q1"):
        Roles(quasi=("weight",)).check(many)


def test_a_column_with_two_roles_is_refused() -> None:
    with pytest.raises(
        RoleError, match="'age': it is listed as a quasi-identifier and as sensitive"
    ):
        Roles(quasi=("age",), sensitive=("age",)).check(COLUMNS)


def test_a_column_named_twice_is_refused() -> None:
    with pytest.raises(RoleError, match="'age': it is listed twice as a quasi-identifier"):
        Roles(quasi=("age", "sex", "age")).check(COLUMNS)


def test_no_quasi_identifier_is_refused() -> None:
    with pytest.raises(RoleError, match="no column is a quasi-identifier"):
        Roles(quasi=()).check(COLUMNS)
