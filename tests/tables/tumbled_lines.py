"""The lines of a scripted cage or chute, with keypad and dealer's buttons."""

from __future__ import annotations

from hal.capture.command_text import read_command
from hal.values import Edge, Rare
from tests.tables.tumbler_lines import MS, S, found, high, in_order, rattle

KEYS = (*(f"key_{value}" for value in range(1, 7)), "key_enter", "key_clear")
EACH_S = 0.6
"""From one inversion to the next."""
QUIET_S = 5.0
"""After this the dice are known to lie, in a cage and in a chute."""


class TumbledLines:
    """What the people at the table do, one after the other."""

    def __init__(self, *, button: bool = True, chute: bool = False, buttons: tuple[str, ...] = ()) -> None:
        tumbler = ("chute_1", "chute_2", "chute_3") if chute else ("cage_turn", "cage_shake")
        called = ("dealer_no_more_bets",) if button else ()
        self._edges: list[Edge] = found(*tumbler, *KEYS, *called, *buttons)
        self.rare: list[Rare] = []
        self._t_s = QUIET_S
        self._up = 0

    @property
    def now_ns(self) -> int:
        """The time to which the script has come."""
        return round(self._t_s * S)

    def wait(self, seconds: float) -> TumbledLines:
        """Nobody does anything."""
        self._t_s += seconds
        return self

    def press(self, button: str) -> TumbledLines:
        """A button is pressed for a tenth of a second."""
        self._edges += high(button, self._t_s, 100)
        return self.wait(0.5)

    def pulse(self, line: str, at_s: float) -> TumbledLines:
        """A line is high for 20 ms, whatever else goes on."""
        self._edges += high(line, at_s, 20)
        return self

    def call(self) -> TumbledLines:
        """The dealer calls "No more bets"."""
        return self.press("dealer_no_more_bets")

    def turn(self, inversions: int = 3) -> TumbledLines:
        """The cage is inverted this often; its dice knock all the while. It still rocks at the end."""
        self._edges += rattle("cage_shake", self._t_s, self._t_s + inversions * EACH_S + 0.5)
        for _ in range(inversions):
            self._up ^= 1
            self._edges.append(Edge("cage_turn", self._up, round((self._t_s + 0.2) * S)))
            self._t_s += EACH_S
        return self.wait(0.5)

    def knock(self) -> TumbledLines:
        """Somebody knocks at the cage."""
        self._edges += rattle("cage_shake", self._t_s, self._t_s + 0.2)
        return self.wait(0.3)

    def tumble(self, inversions: int = 3) -> TumbledLines:
        """The cage is inverted this often, and its dice come to lie."""
        return self.turn(inversions).wait(QUIET_S)

    def drop(self, dice: int, baffles: tuple[int, ...] = (1, 2, 3)) -> TumbledLines:
        """This many dice fall through the chute one after the other, past these baffles; they come to lie."""
        for _ in range(dice):
            for baffle in baffles:
                self._edges += high(f"chute_{baffle}", self._t_s, 60)
                self._t_s += 0.3
            self._t_s += 0.5
        return self.wait(QUIET_S)

    def jam(self, baffle: int, seconds: float) -> TumbledLines:
        """A die sticks in a beam for this long."""
        self._edges += high(f"chute_{baffle}", self._t_s, seconds * 1000)
        return self.wait(seconds)

    def key(self, *values: int, enter: bool = True) -> TumbledLines:
        """The dealer keys values, and enters them."""
        for line in (*(f"key_{value}" for value in values), *(("key_enter",) if enter else ())):
            self._edges += high(line, self._t_s, 100)
            self.wait(0.3)
        return self

    def order(self, text: str) -> TumbledLines:
        """Somebody sends an order."""
        self.rare.append(read_command(text, self.now_ns))
        return self.wait(0.1)

    def edges(self) -> list[Edge]:
        """Everything so far."""
        return in_order(self._edges)


def tumbled_toml(game: str, *, call: str = "button", buttons: str = "", device: str = "", options: str = "") -> str:
    """A table of cage or chute."""
    dealer = f"[device.dealer]\nbuttons = [{buttons}]\n" if buttons else ""
    return (
        f'[table]\nid = "dice-1"\ngame = "{game}"\nno_more_bets = "{call}"\n[lines]\nbackend = "sim"\n'
        f"{device}\n{dealer}[game]\n{options}\n"
    )


__all__ = ["EACH_S", "KEYS", "MS", "QUIET_S", "S", "TumbledLines", "tumbled_toml"]
