"""Random lives of machines with corrections, hand pay, debts, power cuts and restarts, counted from outside.

What is true is what passes hands, slots and trays, and the verdicts that were published; no book of the machine is.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Final

import pytest

from controller.games.machines.account import balance_error
from controller.table.orders.order import CommandResult
from feed.events import Event, MachineEvent, Meters, Outcome, RoundCorrected, RoundStarted, Verdict, Void
from feed.state import MachineState, TableState
from hal.values import Edge
from tests.tables.coin_machine import MS, CoinMachine, attended
from tests.tables.reel_machine import ReelMachine
from tests.tables.spun_machine import SpunMachine
from tests.tables.video_machine import VideoMachine

SOAK_LIVES: Final = 1_000
PARTS: Final = 10
STEPS: Final = 8
REFUSED: Final = (
    "no tokens to be paid",
    "nobody owes",
    "no token was staked",
    "already",
    "the hopper still pays",
    "a count is in doubt",
    "has no verdict yet",
    "is open to be voided",
    "no round",
)
"""Why an order of these lives may be refused; anything else is a failure."""


class Life(ABC):
    """A machine, people who give it orders at random, and what somebody counts who sees it from outside."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.tokens_in = self.hand_paid = self.collected = self.waived = 0
        self.done: Counter[str] = Counter()

    # --- what a machine gives ------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def state(self) -> TableState:
        """What is durable."""

    @property
    @abstractmethod
    def said(self) -> Sequence[Event]:
        """The durable events."""

    @abstractmethod
    def play(self) -> None:
        """A token, and some of what a player does then."""

    @abstractmethod
    def cut(self) -> None:
        """The power fails somewhere, and comes back."""

    @abstractmethod
    def ordered(self, text: str) -> CommandResult:
        """One order. Perhaps the power fails before it is durable: then nobody has its answer."""

    @abstractmethod
    def result(self) -> str:
        """A result, as a person names it."""

    @property
    def given_out(self) -> int:
        """Tokens that the machine gave out by itself: by its hopper, or into its tray."""
        return 0

    @property
    def not_owed(self) -> int:
        """Of those, what fell while no play was on."""
        return 0

    def fell(self, play: int) -> int:
        """Tokens that fell to the player in a play."""
        return 0

    @abstractmethod
    def rest(self) -> None:
        """Whatever was ordered is durable, and whatever is paid has left."""

    @abstractmethod
    def calm(self) -> None:
        """The play that is on comes to its end, and the machine can pay all it owes."""

    # --- a life --------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Something happens."""
        settles = 5 if self.machine.debt else 1
        act = self.rng.choices(("play", "correct", "hand_pay", "settle", "void", "cut"), (5, 8, 3, settles, 1, 2))[0]
        self.done[act] += 1
        if act == "play":
            self.play()
        elif act == "cut":
            self.cut()
        elif act == "void":
            self.order("void why=life")
        elif act == "correct":
            self.correct()
        elif act == "hand_pay":
            self.hand_paid += self.moved("hand_pay", "hand_paid")
        else:
            self.settle(self.rng.choice(("collected", "waived")), some=self.rng.random() < 0.5)
        self.rest()
        self.adds_up()

    def correct(self) -> None:
        """A supervisor corrects one of the last plays, often one that was corrected before."""
        rounds = [record.round for record in self.state.rounds]
        if rounds:
            play = self.rng.choice(rounds[-2:] if self.rng.random() < 0.7 else rounds)
            for _ in range(self.rng.choice((1, 1, 2, 3))):
                to = "reason=dealer_call" if self.rng.random() < 0.25 else self.result()
                self.order(f"correct round={play} {to} why=life")

    def settle(self, how: str, *, some: bool = False) -> None:
        """An attendant takes tokens from the player, or the house waives them."""
        debt = self.machine.debt
        tokens = f" tokens={self.rng.randint(1, debt)}" if some and debt else ""
        moved = self.moved(f"settle_debt how={how}{tokens}", f"debt_{how}")
        if how == "collected":
            self.collected += moved
        else:
            self.waived += moved

    def moved(self, text: str, act: str) -> int:
        """An order with which tokens pass a hand, once its answer is there: how many."""
        first = len(self.said)
        answer = self.order(text)
        self.rest()
        durable = any(isinstance(one.data, MachineEvent) and one.data.act == act for one in self.said[first:])
        return int(answer.reason.split()[0]) if durable else 0

    def order(self, text: str) -> CommandResult:
        """One order, which may be refused for what the machine is doing."""
        answer = self.ordered(text)
        assert answer.accepted or any(why in answer.reason for why in REFUSED), answer.reason
        self.done["accepted"] += answer.accepted
        return answer

    # --- what is true --------------------------------------------------------------------------------------------

    @property
    def machine(self) -> MachineState:
        """The last durable record."""
        assert self.state.machine is not None
        return self.state.machine

    @property
    def verdicts(self) -> dict[int, Verdict]:
        """What stands of each play, as it was published."""
        found: dict[int, Verdict] = {}
        for data in (event.data for event in self.said):
            if isinstance(data, Outcome):
                found[data.round] = Verdict(verdict="outcome", result=data.result)
            elif isinstance(data, Void):
                found[data.round] = Verdict(verdict="void", reason=data.reason)
            elif isinstance(data, RoundCorrected):
                found[data.round] = data.to
        return found

    @property
    def staked(self) -> set[int]:
        """The plays in which a token was staked."""
        return {event.data.round for event in self.said if isinstance(event.data, RoundStarted)}

    def due(self, play: int, verdict: Verdict) -> int:
        """The tokens that a verdict gives."""
        result = verdict.result
        if result is None:
            return (play in self.staked) + self.fell(play)
        return int(result["award"] if "award" in result else result["tokens_won"])

    def adds_up(self) -> None:
        """Tokens in and out, credits, debt and meters agree."""
        machine, verdicts = self.machine, self.verdicts
        meters: Meters = machine.meters
        on = self.staked - set(verdicts)
        due = sum(self.due(play, verdict) for play, verdict in verdicts.items()) + sum(self.fell(play) for play in on)
        out = self.given_out - self.not_owed + self.hand_paid
        assert balance_error(meters, machine.credits, machine.debt) is None
        assert meters.tokens_in == self.tokens_in
        assert (meters.tokens_paid, meters.tokens_overpaid) == (self.given_out, self.not_owed)
        assert (meters.tokens_hand_paid, meters.tokens_collected) == (self.hand_paid, self.collected)
        assert 0 <= meters.tokens_waived <= self.waived
        assert meters.plays == meters.tokens_played == len(self.staked)
        refunded = meters.tokens_refunded - meters.tokens_restaked
        assert refunded == sum(verdict.verdict == "void" for play, verdict in verdicts.items() if play in self.staked)
        assert meters.tokens_won - meters.tokens_taken_back == due - refunded
        left = self.tokens_in - len(self.staked) + due - out + self.collected + meters.tokens_waived
        assert machine.credits - machine.debt == left

    def nobody_pays_for_another(self) -> None:
        """A correction of a play whose tokens have all left the machine takes no credits: they are another's."""
        credits_, corrected, known, gone = 0, 0, set[int](), set[int]()
        for data in (event.data for event in self.said):
            if isinstance(data, RoundCorrected):
                corrected = data.round
            elif isinstance(data, RoundStarted):
                known.add(data.round)
            elif isinstance(data, MachineEvent):
                if data.act == "corrected" and corrected in gone:
                    assert data.credits >= credits_, data
                    self.done["gone"] += 1
                    gone.discard(corrected)
                if data.act in ("award", "stake_refunded"):
                    gone.discard(data.round or 0)
                credits_ = data.credits
                if not credits_:
                    gone = set(known)

    def live(self, steps: int) -> Counter[str]:
        """This many steps; then the attendant settles everything, and the machine owes and is owed nothing."""
        for _ in range(steps):
            self.step()
        self.calm()
        self.adds_up()
        self.nobody_pays_for_another()
        self.done["debts"] += self.machine.debt > 0
        while self.machine.debt:
            self.settle("collected")
        while self.machine.credits:
            self.hand_paid += self.moved("hand_pay", "hand_paid")
        self.adds_up()
        return self.done


# --- reel and video: a chute, and an attendant who pays ------------------------------------------------------------


class SpunLife(Life):
    """A skill-stop machine."""

    def __init__(self, seed: int, machine: SpunMachine) -> None:
        super().__init__(seed)
        self.spun: Any = machine

    @property
    def state(self) -> TableState:
        state: TableState = self.spun.state
        return state

    @property
    def said(self) -> Sequence[Event]:
        said: Sequence[Event] = self.spun.said
        return said

    def play(self) -> None:
        self.spun.wait(self.rng.choice((0.1, 5.0)))
        self.token()
        for reel in self.rng.sample((1, 2, 3), self.rng.choice((0, 1, 3, 3, 3))):
            self.spun.wait(self.rng.choice((0.05, 1.0)))
            self.spun.stop(reel)
            if self.rng.random() < 0.1:
                self.token()
            if self.rng.random() < 0.15:
                self.cut()
        if self.rng.random() < 0.1:
            self.spun.wait(30)

    def token(self) -> None:
        self.spun.token()
        self.tokens_in += 1

    def cut(self) -> None:
        self.spun.restart()
        self.spun.wait(self.rng.uniform(0.0, 3.0))

    def ordered(self, text: str) -> CommandResult:
        lost = self.rng.random() < 0.1
        before, first = copy.deepcopy(self.spun.state) if lost else self.spun.state, len(self.spun.said)
        answer: CommandResult = self.spun.order(f"{text} by=ann")
        if lost:
            self.done["lost"] += 1
            self.spun.state = before
            del self.spun.said[first:]
            self.cut()
        return answer

    def result(self) -> str:
        stops = (1, 1, 1) if self.rng.random() < 0.5 else (self.rng.randrange(20) for _ in range(3))
        return f"stops={'-'.join(map(str, stops))}"

    def rest(self) -> None:
        """Nothing is waited for: every record of this machine is durable, and an attendant pays."""

    def calm(self) -> None:
        self.spun.wait(30)


# --- a pusher with acceptor and hopper -----------------------------------------------------------------------------


class PusherLife(Life):
    """A token pusher: an acceptor takes its tokens, a hopper pays, and tokens fall."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.coin = CoinMachine(seed, commit_ns=self.rng.choice((1, 20, 100)) * MS, counts=self.rng.random() < 0.7)
        self.fallen = 0
        self.coin.run(1.5)
        if self.rng.random() < 0.3:
            self.coin.coins.hopper.tokens = self.rng.randint(0, 12)

    @property
    def state(self) -> TableState:
        return self.coin.state

    @property
    def said(self) -> Sequence[Event]:
        return self.coin.said

    @property
    def given_out(self) -> int:
        return self.coin.coins.hopper.paid + self.fallen

    @property
    def not_owed(self) -> int:
        return self._fallen("falls_out_of_play")

    def fell(self, play: int) -> int:
        return self._fallen("falls", play)

    def _fallen(self, act: str, play: int | None = None) -> int:
        acts = [one.data for one in self.said if isinstance(one.data, MachineEvent) and one.data.act == act]
        return sum(one.tokens or 0 for one in acts if play in (None, one.round))

    def play(self) -> None:
        self.tokens_in += self.coin.token()
        self.coin.run(self.rng.uniform(0.4, 0.9))
        for _ in range(self.rng.choice((0, 0, 1, 3))):
            self._fall()
        if self.rng.random() < 0.5:
            self.coin.run(9)

    def _fall(self) -> None:
        assert self.coin.table is not None
        for level in (1, 0):
            self.coin.run(0.012)
            self.coin._feed([Edge("fall_player", level, self.coin.now_ns)], [])
        self.fallen += 1
        self.coin.run(0.15)

    def cut(self) -> None:
        which = self.rng.randrange(3)
        if which != 1:
            self.coin.kill()
        if which != 0:
            self.coin.devices_off()
        self.coin.run(self.rng.uniform(0.05, 0.6))
        self.coin.devices_on()
        if self.coin.table is None:
            self.coin.start()

    def ordered(self, text: str) -> CommandResult:
        answer = self.coin.order(text)
        if self.rng.random() < 0.1:
            self.done["lost"] += 1
            self.coin.kill()
            self.coin.run(0.2)
            self.coin.start()
        self.coin.run(self.rng.choice((0.0, 0.1, 0.4, 1.0)))
        return answer

    def result(self) -> str:
        return f"tokens={self.rng.choice((0, 1, 2, 5, 9))}"

    def rest(self) -> None:
        assert self.coin.table is not None
        self.coin.run(2)
        if self.coin.faults:
            attended(self.coin)
        while self.coin.table.game.account.paying:  # type: ignore[attr-defined]
            self.coin.run(1)
        self.coin.run(0.2)

    def calm(self) -> None:
        self.coin.coins.hopper.tokens += 1_000
        self.rest()
        self.coin.run(20)


def life_of(kind: str, seed: int) -> Counter[str]:
    """A whole life of one machine."""
    if kind == "pusher":
        return PusherLife(seed).live(STEPS)
    return SpunLife(seed, ReelMachine() if kind == "reel" else VideoMachine(seed=seed)).live(STEPS)


KINDS: Final = ("reel", "video", "pusher")


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_credits_debts_and_meters_add_up_from_outside_over_corrections_and_power_cuts(kind: str) -> None:
    done = sum((life_of(kind, seed) for seed in range(10 if kind == "pusher" else 6)), Counter[str]())
    assert all(done[act] for act in ("play", "correct", "hand_pay", "settle", "cut", "lost", "accepted")), done


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", range(PARTS))
def test_tokens_of_1000_lives_of_each_machine_add_up(kind: str, part: int) -> None:
    for number in range(SOAK_LIVES // PARTS):
        life_of(kind, 1_000 * (part + 1) + number)
