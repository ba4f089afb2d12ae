"""Every order that a table takes, carried out once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from controller.orders import craps, dice
from controller.table.commands import CommandError, check_lengths
from controller.table.lifecycle import Sitting
from controller.table.orders import lifecycle, play, rulings
from controller.table.orders.order import Answer, Refused, Verb, check_keys, not_one_of
from hal.capture.command_text import command_text
from hal.values import Command

_VERBS: Final = (*lifecycle.VERBS, *play.VERBS, *rulings.VERBS, *craps.VERBS, *dice.VERBS)

VERBS: Final[Mapping[str, Verb]] = {verb.name: verb for verb in _VERBS}

REMEMBERED: Final = 1000
"""Orders of which the answer is remembered (ours). The service's journal remembers them all."""


def carry_out(command: Command, sitting: Sitting) -> str:
    """Carries a command out; returns what happened.

    Raises:
        Refused: it is not done; exactly why not.
    """
    if command.problem:
        raise Refused(command.problem)
    name, given = command.verb, dict(command.given)
    try:
        check_lengths(name, given)
    except CommandError as error:
        raise Refused(str(error)) from error
    if name == "quit":
        raise Refused("quit: a table cannot end the service; send it to the service")
    verb = VERBS.get(name)
    if verb is None:
        raise Refused(not_one_of("command", name, [*VERBS]))
    check_keys(verb, given)
    return verb.act(sitting, given, command.t_ns)


class Answered:
    """What became of the last orders, by their ids: an order that comes again is answered again, and not done again."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def before(self, command: Command) -> Answer | None:
        """The answer to a command whose id came before; None where the id is new."""
        answer = self._answers.get(command.id)
        if answer is None or answer.command._replace(t_ns=command.t_ns) == command:
            return answer
        return Answer(command, False, f"id {command.id} was another order's: {command_text(answer.command)}", ())

    def keep(self, answer: Answer) -> None:
        """Remembers an answer."""
        self._answers[answer.id] = answer
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
