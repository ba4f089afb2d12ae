"""Carries out the commands that a table takes, each once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from controller.table.commands import CommandError, check_lengths
from controller.table.lifecycle import TableLifecycle
from controller.table.orders import lifecycle, play, rulings
from controller.table.orders.order import CommandResult, OrderRefused, Verb, check_keys, not_of_game, not_one_of
from hal.capture.command_text import command_text
from hal.values import Command

_VERBS: Final = (*lifecycle.VERBS, *play.VERBS, *rulings.VERBS)

VERBS: Final[dict[str, Verb]] = {verb.name: verb for verb in _VERBS}
"""The orders that every table takes, whatever is played on it."""

STATUS: Final = "status"
QUIT: Final = "quit"
OF_THE_SERVICE: Final = (STATUS, QUIT)
"""The orders that the service takes itself, and no table."""

INSPECTIONS: Final = frozenset({"inspect_start", "inspect_pass", "inspect_fail"})
"""The commands about the device that is inspected before an opening."""
REMEMBERED: Final = 1000
"""Commands whose result is remembered (ours). The service's journal has them all."""


def carry_out(
    command: Command,
    lifecycle: TableLifecycle,
    verbs: Mapping[str, Verb] = VERBS,
    games_of_order: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Carries a command out; returns what happened. `verbs` are all that a table takes; `games_of_order` has the games
    of those that only some games take.

    Raises:
        OrderRefused: it is not carried out, and exactly why.
    """
    if command.problem:
        raise OrderRefused(command.problem)
    name, given = command.verb, dict(command.given)
    try:
        check_lengths(name, given)
    except CommandError as error:
        raise OrderRefused(str(error)) from error
    if name == QUIT:
        raise OrderRefused("quit: a table cannot end the service; send it to the service")
    verb = verbs.get(name)
    if verb is None:
        if games_of_order is not None and name in games_of_order:
            raise not_of_game(name, lifecycle, games_of_order[name])
        raise OrderRefused(not_one_of("command", name, [*verbs]))
    check_keys(verb, given, lifecycle.game.names_result_by, choices_of(name, lifecycle))
    return verb.act(lifecycle, given, command.t_ns)


def choices_of(name: str, lifecycle: TableLifecycle) -> dict[str, Collection[str]]:
    """What a command's keys can name at this table, where that is a short list."""
    if name == "clear":
        return {"device": list(dict.fromkeys(fault.device for fault in lifecycle.faults.standing))}
    if name in INSPECTIONS:
        plan = lifecycle.inspections.plan
        return {"device": [plan.device], "checks": plan.known}
    return {}


class AnsweredCommands:
    """The results of the last commands, by id: a command that comes again has the same result, and is not repeated."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, CommandResult] = OrderedDict()

    def before(self, command: Command) -> CommandResult | None:
        """The result for a command whose id came before; None where the id is new."""
        answer = self._answers.get(command.id)
        if answer is None or answer.command._replace(t_ns=command.t_ns) == command:
            return answer
        return CommandResult(command, False, f"id {command.id} was another order's: {command_text(answer.command)}", ())

    def keep(self, answer: CommandResult) -> None:
        """Remembers a result."""
        self._answers[answer.id] = answer
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
