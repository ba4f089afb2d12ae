"""Events as a person reads them: corrections, inspections, restarts."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.service.event_lines import PROGRESS_WORDS, color_of, data_words, folded, line_of, progress_words
from feed import events
from feed.data import DATA_TYPES, RoundData
from feed.events import Data, Event, Evidence, Verdict, WinningBet, type_of

TABLE: dict[str, Any] = {"table": "wheel-1", "game": "money_wheel", "simulated": False, "mono_ns": 0}
CRAPS: dict[str, Any] = {**TABLE, "game": "craps"}
SICBO: dict[str, Any] = {**TABLE, "game": "sic_bo"}
OPENED: dict[str, Any] = {"rules": "njac-13:47-20", "software": "feltwire 0.1.0", "devices": []}
NATURAL: dict[str, Any] = {"dice": [4, 3], "total": 7, "decision": "natural"}
CALLED = Verdict(verdict="outcome", result={"space": 3, "face": "$5"})


def line(data: Data) -> str:
    event = Event(
        id="wheel-1.ab.1",
        source="/tables/wheel-1",
        type=type_of(type(data)),
        time="2026-07-01T20:15:00.000000Z",
        sequence=f"{1:020d}",
        data=data,
    )
    assert color_of(event) is None or isinstance(color_of(event), str)
    return line_of(event).split("  ", 2)[-1].strip()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            events.DeviceCondition(
                **TABLE,
                device="wheel",
                history=events.WearHistory(
                    days=[1], spins=[6], values={"level": [0.1]}, begun=[{"level": 0.1}, {"unevenness": 0.02}]
                ),
            ),
            "wear of wheel: 8 measured spins, 2 values",
        ),
        (
            events.TableOpened(**TABLE, **OPENED, by="ann"),
            "table opened by ann: money_wheel by njac-13:47-20, feltwire 0.1.0",
        ),
        (events.TableOpened(**TABLE, **OPENED), "table opened: money_wheel by njac-13:47-20, feltwire 0.1.0"),
        (events.TableClosed(**TABLE, reason="late", by="ann"), "table closed by ann: late"),
        (
            events.RoundCorrected(
                **TABLE,
                round=4,
                by="bob",
                from_=Verdict(verdict="unresolved", reason="direction_unproven"),
                to=CALLED,
                why="",
                confirmed=True,
            ),
            "CALLED $5 (space 3), was unresolved direction_unproven; by bob",
        ),
        (
            events.RoundCorrected(
                **TABLE,
                round=4,
                by="ann",
                from_=CALLED,
                to=Verdict(verdict="void", reason="dealer_call"),
                why="touched",
            ),
            "CORRECTED void dealer_call, was $5 (space 3); by ann: touched",
        ),
        (
            events.RoundCorrected(
                **CRAPS,
                round=4,
                by="bob",
                from_=Verdict(verdict="unresolved", reason="value_missing"),
                to=Verdict(verdict="outcome", result=NATURAL),
                why="",
                confirmed=True,
                winning=[WinningBet("pass", "1 to 1")],
                notices=["the shooter passes the dice"],
            ),
            "CALLED 4-3, total 7, natural, was unresolved value_missing; wins: pass (1 to 1); by bob; "
            "the shooter passes the dice",
        ),
        (
            events.Outcome(
                **CRAPS,
                round=4,
                result=NATURAL,
                winning=[WinningBet("pass", "1 to 1"), *(WinningBet(f"lay {n}", "1 to 2") for n in range(9))],
                evidence=Evidence(),
                rule="19:47-1.9",
            ),
            "OUTCOME 4-3, total 7, natural; wins: pass (1 to 1), lay 0 (1 to 2), lay 1 (1 to 2), lay 2 (1 to 2), "
            "lay 3 (1 to 2), lay 4 (1 to 2), lay 5 (1 to 2) and 3 more",
        ),
        (events.RoundProgress(**CRAPS, round=4, keyed=[]), "the dice are at rest: key them"),
        (
            events.RoundProgress(**TABLE, round=4, shakes=1, inversions=2),
            "inverted 2 times, shaken once",
        ),
        (
            events.InspectionPassed(**SICBO, device="lamp_board", checks=["1-2-3"], by="root"),
            "lamp_board lit and read back: 1-2-3, tried by root",
        ),
        (
            events.InspectionFailed(**SICBO, device="lamp_board", checks=["1-2-3"], by="root", detail="lamp 3 is dead"),
            "lamp_board NOT LIT as it should be: 1-2-3, tried by root (lamp 3 is dead)",
        ),
        (
            events.InspectionPassed(**SICBO, device="automated_shaker", checks=["operation 1"], by="root"),
            "automated_shaker tossed to the end: operation 1, tried by root",
        ),
        (
            events.InspectionFailed(**SICBO, device="automated_shaker", checks=["operation"], by="root", detail="late"),
            "automated_shaker NOT TOSSED to the end: operation, tried by root (late)",
        ),
        (
            events.InspectionPassed(
                **SICBO, device="automated_shaker", checks=["electrical_device", "automated_shaker"], by="ann"
            ),
            "inspection of automated_shaker passed by ann: electrical_device, automated_shaker",
        ),
        (
            events.InspectionPassed(**TABLE, device="wheel", checks=["level", "no_magnets"], by="ann"),
            "inspection of wheel passed by ann: level, no_magnets",
        ),
        (
            events.InspectionFailed(**TABLE, device="wheel", checks=["level"], by="tom", detail="0.4 degrees"),
            "INSPECTION of wheel FAILED, by tom: level (0.4 degrees)",
        ),
        (
            events.DeviceFault(
                **TABLE, device="wheel", fault="not_level", detail="tilted", blocks_play=True, before_restart=True
            ),
            "FAULT wheel: not_level: tilted (since before the restart); the table is shut until a supervisor clears it",
        ),
        (events.Heartbeat(**TABLE, epoch="ab", last=7, head="", state="open"), "open, last event 7"),
    ],
)
def test_a_line_says_it_in_a_dealers_words(data: Data, words: str) -> None:
    assert words in line(data)


def test_what_is_not_known_is_shown_as_it_came() -> None:
    raw = b'{"table":"wheel-1","cards":3}'
    event = Event(
        id="wheel-1.ab.1",
        source="/tables/wheel-1",
        type="feltwire.shoe.emptied.v2",
        time="2026-07-01T20:15:00.000000Z",
        data=events.Unknown(**TABLE, raw=msgspec.Raw(raw)),
    )
    assert line_of(event).endswith(f"shoe.emptied.v2, which this version does not know: {raw.decode()}")


@pytest.mark.parametrize(
    ("game", "told", "words"),
    [
        ("craps", {}, "the dice are thrown"),
        ("mini_craps", {"tossed_by": "shaker"}, "the shaker tosses the dice"),
        ("sic_bo", {}, "the shaker is shaken"),
        ("sic_bo", {"tossed_by": "shaker"}, "the shaker tosses the dice"),
        ("chuck_a_luck", {}, "the dice are tumbled"),
        ("beat_the_dealer", {"tumble": "player"}, "the dice are tumbled by the player"),
        ("roulette", {"direction": "clockwise"}, "the spin has begun, clockwise"),
    ],
)
def test_a_round_begins_in_the_words_of_its_game(game: str, told: dict[str, Any], words: str) -> None:
    assert line(events.RoundStarted(**{**TABLE, "game": game}, round=4, **told)).endswith(words)


def test_one_revolution_is_one() -> None:
    common: dict[str, Any] = {"table": "t", "game": "money_wheel", "simulated": False, "mono_ns": 0, "round": 1}
    assert progress_words(events.RoundProgress(**common, revolutions=1)).strip() == "1 revolution"
    assert progress_words(events.RoundProgress(**common, revolutions=2.5)).strip() == "2.5 revolutions"


def test_every_measure_of_a_round_that_runs_has_words() -> None:
    measures = set(events.RoundProgress.__struct_fields__) - set(RoundData.__struct_fields__)
    # The tumble is in the words of its dice.
    assert measures - set(PROGRESS_WORDS) == {"tumble"}


def test_a_rule_that_no_text_gives_is_the_houses_on_the_screen() -> None:
    void = events.Void(
        table="t",
        game="money_wheel",
        simulated=False,
        mono_ns=0,
        round=1,
        call="No spin",
        reason="power_loss",
        rule="ours",
        evidence=events.Evidence(),
    )
    event = events.Event(
        id="t.e1.1", source="/tables/t", type=type_of(events.Void), time="2026-07-04T19:00:27.123456Z", data=void
    )
    assert line_of(event) == '19:00:27.123  t #1              VOID "No spin": power_loss (house rule)'
    assert line_of(event, dated=True).startswith("2026-07-04 19:00:27.123Z  t #1 ")


def test_a_long_line_goes_on_below_what_happened() -> None:
    line = '20:27:40.724  sim wheel-1 #3        VOID "No spin": power_loss (house rule) [' + "word " * 12 + "end]"
    rows = folded(line, 80).splitlines()
    assert max(map(len, rows)) <= 80
    assert len(rows) > 1
    assert all(row.startswith(" " * line.index("VOID")) for row in rows[1:])
    assert " ".join(" ".join(rows).split()) == " ".join(line.split())
    assert folded("short", 80) == "short"


def test_every_type_of_event_has_words_of_its_own() -> None:
    assert [kind.__name__ for kind in DATA_TYPES if kind not in data_words.registry] == []
