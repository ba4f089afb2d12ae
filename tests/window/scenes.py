"""The pictures of a machine's screen that the documentation shows: what each view has, as a table sends it."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from controller.games.machines.win_lines import lines_shown
from controller.games.skill_stop_video.model import MODELS
from drivers.screen.screen_wire import RecalledPlay, Scene, SetUpScreen, ShownFault, WonLine
from screen.program import Picture

METERS: Final = {
    "tokens_in": 1204,
    "tokens_played": 1197,
    "tokens_won": 1011,
    "tokens_paid": 0,
    "tokens_hand_paid": 1011,
    "tokens_overpaid": 0,
    "tokens_refunded": 7,
    "plays": 1197,
    "power_ups": 9,
    "door_openings": 14,
}
LYING: Final = (1920, 1080)
UPRIGHT: Final = (1080, 1920)
FIVE_STOPS: Final = (3, 15, 8, 17, 2)


class Shown(NamedTuple):
    """One picture."""

    name: str
    size: tuple[int, int]
    model: SetUpScreen | None
    picture: Picture


def set_up(name: str, *, touch: bool = True, light: bool = False, language: str = "en") -> SetUpScreen:
    """A model as a table sends it."""
    model = MODELS.named(name)
    return SetUpScreen(
        title=model.title,
        reels=model.reels,
        lines=model.lines,
        awards=[(award.symbols, award.tokens) for award in model.awards],
        symbol_ns=model.symbol_ms * 1_000_000,
        images=[0] * len(model.reels),
        touch=touch,
        light=light,
        language="es" if language == "es" else "en",
    )


def picture(scene: Scene, images: tuple[int, ...], turning: tuple[int, ...] = (), *, patch: bool = False) -> Picture:
    """A frame of it."""
    return Picture(images, turning, scene.view, scene, 0, patch)


def jackpot(name: str) -> tuple[int, ...]:
    """The stops of the greatest award."""
    model = MODELS.named(name)
    return tuple(reel.index(symbol) for reel, symbol in zip(model.reels, model.awards[0].symbols, strict=True))


def recalled(name: str) -> list[RecalledPlay]:
    """Ten plays, newest first."""
    model, count = MODELS.named(name), len(MODELS.named(name).reels)
    plays = []
    for number in range(10):
        stops = [(number * 7 + reel * (3 + number)) % model.symbols for reel in range(count)]
        if number == 4:
            stops = [*jackpot(name)]
        lines = lines_shown(model, stops, [True] * count)
        plays.append(
            RecalledPlay(
                play=1197 - number,
                verdict="outcome",
                symbols=[line.symbols for line in lines],
                award=sum(line.award for line in lines),
            )
        )
    plays[7] = RecalledPlay(play=1190, verdict="void", reason="dealer_call")
    return plays


def won(name: str, stops: tuple[int, ...], **facts: object) -> Scene:
    """The award of these stops, by the model."""
    lines = [line for line in lines_shown(MODELS.named(name), stops, [True] * len(stops)) if line.award]
    award = sum(line.award for line in lines)
    won_lines = [WonLine(line=line.line, award=line.award) for line in lines]
    return msgspec.structs.replace(Scene(view="award", credits=award, award=award, won=won_lines), **facts)


def shown() -> list[Shown]:
    """Every picture."""
    three, five = set_up("video_fruit_3"), set_up("video_fruit_5")
    fault = ShownFault(
        device="screen",
        fault="screen_late",
        detail="reel 1: a frame stayed for 213 ms: the display was late",
    )
    other = ShownFault(device="machine", fault="token_in_doubt", detail="opto 2 did not follow opto 1 within 0.5 s")
    attract = Scene(view="attract", play=1198)
    play = Scene(view="play", play=1198, stopped=[1])
    award = won("video_fruit_3", jackpot("video_fruit_3"), play=1199, by_hand=True)
    hand_pay = Scene(view="hand_pay", play=1199, credits=award.credits, by_hand=True, award=award.award)
    stopped = Scene(view="fault", play=1198, faults=[fault, other])
    recall = Scene(view="recall", play=1198, plays=recalled("video_fruit_3"), meters=METERS)
    long_title = msgspec.structs.replace(three, title="The Boardwalk Grand Opening Skill Stop of Atlantic City No. 14")
    titled = Scene(view="attract", play=119_800, credits=55, simulated=True)
    gone = Scene(view="closed", simulated=True)
    lost = Picture((), (), "closed", gone, 0, patch=False, lost=long_title)
    found = []
    for name, size in (("landscape", LYING), ("portrait", UPRIGHT)):
        found += [
            Shown(f"attract-{name}", size, three, picture(attract, (9, 4, 17))),
            Shown(f"play-{name}", size, three, picture(play, (0, 13, 6), (2, 3))),
            Shown(f"award-{name}", size, three, picture(award, jackpot("video_fruit_3"))),
            Shown(f"fault-{name}", size, three, picture(stopped, (0, 0, 0))),
            Shown(f"recall-{name}", size, three, picture(recall, (0, 0, 0))),
            Shown(f"lost-{name}", size, None, lost),
        ]
    found += [
        Shown("hand_pay-landscape", LYING, three, picture(hand_pay, jackpot("video_fruit_3"))),
        Shown("test-landscape", LYING, three, picture(Scene(view="test", play=1198, meters=METERS), (0, 0, 0))),
        Shown("door-landscape", LYING, three, picture(Scene(view="door", play=1198), (0, 0, 0))),
        Shown("closed-landscape", LYING, three, picture(Scene(view="closed", play=1198), (0, 0, 0))),
        Shown("five-landscape", LYING, five, picture(play, (0, 13, 6, 3, 18), (2, 3, 4, 5))),
        Shown(
            "five-portrait-es",
            UPRIGHT,
            set_up("video_fruit_5", light=True, language="es"),
            picture(
                won("video_fruit_5", FIVE_STOPS, play=77, simulated=True),
                FIVE_STOPS,
                patch=True,
            ),
        ),
        Shown("title-portrait", UPRIGHT, long_title, picture(titled, (9, 4, 17))),
        Shown("title-landscape", LYING, long_title, picture(titled, (9, 4, 17))),
        Shown("buttons-landscape", LYING, set_up("video_fruit_3", touch=False), picture(attract, (9, 4, 17))),
        Shown(
            "recall-five-landscape",
            LYING,
            five,
            picture(Scene(view="recall", play=1198, plays=recalled("video_fruit_5"), meters=METERS), (0, 0, 0, 0, 0)),
        ),
    ]
    return found
