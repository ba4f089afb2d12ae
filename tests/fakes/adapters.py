"""The USB-serial chips of real boards, as the emulated ones are tested behind them."""

from __future__ import annotations

from dataclasses import replace

from simulators.board.adapter import Adapter

FTDI = Adapter(flush_at=None, packet=62, timer_ns=16_000_000, delay_ns=125_000, jitter_ns=1_000_000)
"""That chip with its default settings: 62 bytes or 16 ms (its data sheet); delay and jitter are ours."""
QUICK_FTDI = replace(FTDI, timer_ns=1_000_000)
"""With its timer at 1 ms, as a link to a board asks for it."""
CH340 = Adapter(flush_at=None, packet=32, timer_ns=250_000, delay_ns=125_000, jitter_ns=500_000)
"""Approximately the chip of cheap boards: what it has, up to 32 bytes, at the next USB poll (ours)."""
