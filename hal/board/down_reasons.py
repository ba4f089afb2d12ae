"""The reasons for which a board is down, as messages for people: what was observed, and what to do."""

from __future__ import annotations

from hal.board.errors import command_name
from hal.board.message import BoardCommand
from hal.board.messages import Reset
from hal.board.quality import Figures

_CAUSES = {
    Reset.POWER_ON | Reset.EXTERNAL: "its power came on, or its reset line was low",
    Reset.POWER_ON: "its power came on",
    Reset.EXTERNAL: "its reset button, or the opening of its port",
    Reset.BROWN_OUT: "its power sagged: check the supply",
    Reset.WATCHDOG: "its watchdog: its program hung",
}


def causes(cause: int, hung_at: int = 0) -> str:
    """What reset a board: bits of `Reset`, and where its program hung (an address of words; 0: not known)."""
    where = f" at {2 * hung_at:#06x} of its flash" if hung_at else ""
    known = []
    for bits, words in _CAUSES.items():
        if cause & bits == bits:
            known.append(words)
            cause &= ~bits
    return f"{', '.join(known)}{where}" if known else "why is not known: its bootloader keeps no cause"


def port(board: str, name: str, why: str) -> str:
    """Its port cannot be opened, or was lost. A board without a section in a table's file has its port's name."""
    where = "the name of the port" if board == name else f"port = … under [board.{board}]"
    return f"{why}; check its cable, its power, and {where}"


def reset(cause: int) -> str:
    """The board was reset, and reported the cause: bits of `Reset`."""
    return f"it was reset: {causes(cause)}"


def reset_by_opening() -> str:
    """A board that handles money began because its port was opened."""
    return (
        "opening its port reset it: a board that handles money must run on while this service restarts, so cut its "
        "auto-reset (docs/boards.md, auto-reset), then plug it in again"
    )


def forgotten() -> str:
    """The board was reset; its report of that was lost."""
    return "it was reset and lost the session; its identity will give the cause"


def refuses(command: BoardCommand, why: int) -> str:
    """The board refuses a command that every board knows."""
    return f"it refuses {command_name(command)} (code {why}), which every board knows; flash its firmware again"


def silent(command: BoardCommand, tries: int, after_ns: int) -> str:
    """The board did not answer a command."""
    return (
        f"no answer to {command_name(command)} for {after_ns // 1_000_000} ms ({tries} tries); is it powered, "
        "is its cable in?"
    )


def unknown(after_ns: int) -> str:
    """Nobody answers on this port."""
    return (
        f"no answer to identify for {after_ns // 1_000_000_000} s; is it powered, is this its port, was its "
        "firmware flashed?"
    )


def unproven(exchanges: int, figures: Figures) -> str:
    """The session is open, but the board's clock cannot be determined."""
    return (
        f"it answers, but its clock is not known: {exchanges} answers arrived in time; {figures}. Is the link slow, or "
        "the computer busy?"
    )


def broken(figures: Figures) -> str:
    """The link corrupts too many bytes."""
    return (
        f"the link is too bad to play on: {figures}; expected less than 1 byte in 300. Check the cable, its shield "
        "and the ground; the board is used again once the link was good for a while"
    )
