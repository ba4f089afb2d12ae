"""Of cases that are much alike, some are tried in every run, and all of them in the soak."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest

PARAMETERS: Final = type(pytest.param())


def one_in(count: int, cases: Iterable[Any]) -> list[Any]:
    """The cases, tuples or what `pytest.param` gives, as parameters of a test; all but each `count`th are soaks.

    Of a grid, `count` should have no factor in common with the length of its rows: then each row and each column has
    its share.
    """
    found = []
    for number, case in enumerate(cases):
        values, marks, name = case if isinstance(case, PARAMETERS) else (case, (), None)
        found.append(pytest.param(*values, id=name, marks=[*marks, *([pytest.mark.soak] if number % count else [])]))
    return found
