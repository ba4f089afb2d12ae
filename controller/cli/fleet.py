"""`feltwire fleet`, with the games of this installation."""

from __future__ import annotations

from functools import partial

from controller.games.catalogue import GAME
from controller.rules.house import house_words
from controller.service.event_lines import colored_line_of, line_of, rule_words
from fleet.cli.fleet import fleet_command
from fleet.cli.games_here import GamesHere

command = fleet_command(GamesHere(line_of, partial(colored_line_of, dated=True), rule_words, house_words, GAME))
