"""Says who was refused without filling the log: a refused client knocks again ten times a second, for ever."""

from __future__ import annotations

import logging
from collections import OrderedDict

_MOST = 1000
"""Refusals that are told apart (ours); of more, the oldest are forgotten, and told anew."""


class Refusals:
    """Counts refusals that are alike; the 1st, 10th, 100th, 1000th ... is logged."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._counts: OrderedDict[str, int] = OrderedDict()
        self.total = 0

    def tell(self, what: str) -> None:
        """Counts a refusal; logs it if it is the first of its kind or a round number of them."""
        self.total += 1
        count = self._counts.pop(what, 0) + 1
        self._counts[what] = count
        if len(self._counts) > _MOST:
            self._counts.popitem(last=False)
        if count == 1:
            self._log.warning("%s", what)
        elif count >= 10 and str(count).strip("0") == "1":
            self._log.warning("%s (%d times by now)", what, count)

    def forget(self) -> None:
        """From here on everything is new: the keys have changed."""
        self._counts.clear()
