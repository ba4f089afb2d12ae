"""What a token pusher makes of its board's test of the sensors."""

from __future__ import annotations

import pytest

from controller.games.assembly import table_for
from feed.events import DeviceFault
from hal.board.carried import carried
from hal.board.messages import KINDS, SensorsReport
from hal.values import Batch, Frame
from tests.tables.bench import EventList, configured

TOML = '[table]\nid = "pusher-1"\ngame = "token_pusher"\n[lines]\nbackend = "sim"\n[device.board]\n'
BIT = {name: 1 << number for number, (name, _) in enumerate(KINDS["pusher"].inputs)}


@pytest.mark.parametrize(
    ("shorted", "dark", "stuck"),
    [
        ("", "shaft", ""),
        ("", "tilt", ""),
        ("shaft", "", "shaft is shorted, or lit from elsewhere"),
        ("", "win_b", "win_b is cut, dead, or active"),
        ("token", "", "token is shorted, or lit from elsewhere"),
    ],
)
def test_a_slot_of_the_shaft_may_be_in_its_sensor_at_a_test_and_no_token_in_one(
    shorted: str, dark: str, stuck: str
) -> None:
    table = table_for(configured(TOML), epoch="e1", simulated=True, opens=True)
    table.open(1)
    report = carried(SensorsReport(0x7F, BIT.get(shorted, 0), BIT.get(dark, 0)))
    said = EventList(table.feed(Batch([], [Frame("pusher", report, 2)], 3)))
    assert [fault.detail for fault in said.of(DeviceFault)] == ([stuck] if stuck else [])
