"""Every order that a table takes, carried out once."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from controller.table.commands import OrderError, parse_order
from controller.table.lifecycle import Sitting
from controller.table.orders import lifecycle, play, rulings
from controller.table.orders.order import Answer, Refused, Verb, check_keys, not_one_of

_VERBS: Final = (*lifecycle.VERBS, *play.VERBS, *rulings.VERBS)

VERBS: Final[dict[str, Verb]] = {verb.name: verb for verb in _VERBS}
"""The orders that every table takes, whatever is played on it."""

REMEMBERED: Final = 1000
"""Orders of which the answer is remembered (ours). The service's journal remembers them all."""


_ID: Final = re.compile(r"(?:^|\s)id=(\S+)")


def carry_out(text: str, sitting: Sitting, t_ns: int, verbs: Mapping[str, Verb] = VERBS) -> str:
    """Does what an order says; returns what happened. `verbs` are all that a table takes, or refuses.

    Raises:
        Refused: it is not done; exactly why not.
    """
    try:
        name, given = parse_order(text)
    except OrderError as error:
        raise Refused(str(error)) from error
    if name == "quit":
        raise Refused("quit: a table cannot end the service; send it to the service")
    verb = verbs.get(name)
    if verb is None:
        raise Refused(not_one_of("command", name, [*verbs]))
    check_keys(verb, given)
    return verb.act(sitting, given, t_ns)


def id_of(text: str) -> str:
    """The id that an order gives itself, whatever else is wrong with it; empty where it has none."""
    found = _ID.search(text)
    return "" if found is None else found[1]


def without_id(text: str) -> str:
    """The order as a person reads it."""
    return _ID.sub("", text)


class Answered:
    """What became of the last orders, by their ids: an order that comes again is answered again, and not done again."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def before(self, order_id: str, text: str) -> Answer | None:
        """The answer that an order had, where it has come before."""
        answer = self._answers.get(order_id)
        if answer is None or answer.text == text:
            return answer
        return Answer(order_id, text, False, f"id {order_id} was another order's: {answer.text}", ())

    def keep(self, answer: Answer) -> None:
        """Remembers an answer."""
        self._answers[answer.id] = answer
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
