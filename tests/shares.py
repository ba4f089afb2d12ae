"""Of cases that are much alike, some are tried in every run, and all of them in the soak."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest

PARAMETERS: Final = type(pytest.param())


def one_in(count: int, cases: Iterable[Any]) -> list[Any]:
    """The cases as parameters of a test; all but each `count`th are soaks.

    A case is a value, a tuple of values, or what `pytest.param` gives. Of a grid, `count` should have no factor in
    common with the length of its rows: then each row and each column has its share.
    """
    return [_case(case, is_soak=number % count > 0) for number, case in enumerate(cases)]


def first_of(count: int, cases: Iterable[Any]) -> list[Any]:
    """As `one_in`, but the first of the cases run, and all others are soaks."""
    return [_case(case, is_soak=number >= count) for number, case in enumerate(cases)]


def _case(case: Any, *, is_soak: bool) -> Any:
    if not isinstance(case, PARAMETERS):
        case = pytest.param(*case) if isinstance(case, tuple) else pytest.param(case)
    return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.soak] if is_soak else case.marks)
