"""A machine that is not what was certified stays shut, with what differs; one that is plays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from controller.certification.certificate import (
    Certificate,
    CertificateState,
    certificate_of,
    certificate_path,
    difference_words,
    made_now,
    model_of,
    read,
    too_short_hashes,
    write,
)
from controller.certification.software import compile_all, installed_files
from controller.configuration.values import TableConfig
from controller.games.load import load
from controller.live.certificate_watch import AGAIN_NS, FILES_A_TICK, CertificateWatch
from controller.live.live_table import KnownTable, LiveTable
from controller.live.wiring import wire
from controller.packages.files import PACKAGES, ROOT
from feed import events
from hal.board.messages import KINDS, PROTOCOL, IdentityAnswer
from hal.clock import VirtualClock
from simulators.pusher.coin_table import CoinPusherSimulator
from tests.tables.bench import EventList
from tests.tables.coin_machine import coin_toml

S = 1_000_000_000
KEY = SigningKey(bytes(32))
SIGNER = bytes(KEY.verify_key)
SERVICE = {
    "coins.acceptor": {
        "driver": "cctalk", "address": "2", "manufacturer": "FELTWIRE SIMULATED", "category": "Coin Acceptor",
        "product": "SIM", "software": "SIM 1.0", "serial": "5317383",
    },
    "coins.hopper": {
        "driver": "cctalk", "address": "3", "manufacturer": "FELTWIRE SIMULATED", "category": "Payout",
        "product": "SIM", "software": "SIM 1.0", "serial": "710623",
    },
}  # fmt: skip
"""What the simulated devices report."""


def machine(folder: Path, more: str = "", options: str = "") -> TableConfig:
    path = folder / "pusher.toml"
    path.write_text(coin_toml(more, options), encoding="utf-8")
    return load([path])[0]


def certified(config: TableConfig) -> Certificate:
    compile_all()
    made = made_now(config, SERVICE, by="ann", time="2026-11-23T00:00:00Z")
    write(certificate_path(config), made, KEY)
    return made


class Run:
    """A simulated machine in the service, with its certificate."""

    def __init__(self, config: TableConfig, state: CertificateState | None = None) -> None:
        self.clock = VirtualClock(0)
        wiring = wire(config, self.clock, {}, 1)
        assert wiring.simulated is not None
        self.source = wiring.simulated
        self.source.held = True
        found = certificate_of(config, SIGNER) if state is None else state
        self.table = LiveTable(
            config, wiring, self.clock, epoch="00ff00ff00ff00ff", known=KnownTable(certificate=found)
        )
        self.table.open_wires()
        self.said = EventList(self.table.open())

    def run(self, seconds: float) -> EventList:
        first = len(self.said)
        until_ns = self.clock.now_ns() + round(seconds * S)
        while self.clock.now_ns() < until_ns:
            self.clock.advance_to(self.clock.now_ns() + S // 50)
            result = self.table.tick()
            self.said += result.events
            self.table.show(result.events)  # they are durable at once
        return EventList(self.said[first:])

    @property
    def faults(self) -> list[tuple[str, str, str]]:
        return [(one.device, one.fault, one.detail) for one in self.table.faults]


def test_a_machine_that_is_what_was_certified_plays(tmp_path: Path) -> None:
    config = machine(tmp_path)
    certified(config)
    run = Run(config)
    run.run(3)
    assert run.faults == []
    assert run.table.state == "open"
    assert run.table.certificate == "by ann, 2026-11-23T00:00:00Z"


def test_without_a_certificate_a_machine_with_real_wires_stays_shut(tmp_path: Path) -> None:
    text = coin_toml().replace('backend = "sim"', 'backend = "gpiod"\nchip = "pinctrl-rp1"')
    text = text.replace("[lines]", 'no_more_bets = "auto"\n[lines]', 1)
    pins = ("shelf_shaft", "fall_player", "fall_house", "tilt")
    text += "[pins]\n" + "".join(f"{pin} = {{ gpio = {5 + number} }}\n" for number, pin in enumerate(pins))
    text += 'door = { gpio = 20, pull = "up" }\n[links]\ncctalk = { port = "/dev/serial/by-id/usb-x" }\n'
    path = tmp_path / "real.toml"
    path.write_text(text, encoding="utf-8")
    found = certificate_of(load([path])[0], SIGNER)
    assert found.kind == "missing"
    assert "real.certificate: there is no such file" in found.words
    assert f"feltwire certify {path}" in found.words
    fault = Run(machine(tmp_path), found).said.one(events.DeviceFault)
    assert (fault.device, fault.fault, fault.blocks_play) == ("certificate", "not_certified", True)
    path.write_text(text.replace("[lines]", 'certificate = "waived"\n[lines]', 1), encoding="utf-8")
    waived = certificate_of(load([path])[0], SIGNER)
    assert waived.kind == "waived"
    assert Run(machine(tmp_path), waived).said.one(events.DeviceWarning).warning == "certificate_waived"


def test_simulated_devices_need_none() -> None:
    from tests.tables.bench import configured

    assert certificate_of(configured(coin_toml()), SIGNER).kind == "not needed"


def test_m1_a_key_that_touches_play_shuts_the_machine_and_is_named_with_both_values(tmp_path: Path) -> None:
    certified(machine(tmp_path))
    run = Run(machine(tmp_path, options="play_s = 5"))
    (fault,) = run.faults
    assert fault == ("certificate", "not_certified", "it is not what was certified: options.play_s was 8.0, is 5.0")
    assert "round.opened" not in run.said.story()


def test_a_label_touches_no_play(tmp_path: Path) -> None:
    certified(machine(tmp_path))
    path = tmp_path / "pusher.toml"
    path.write_text(path.read_text().replace("[lines]", "[feed]\nhistory = 50\n[lines]"), encoding="utf-8")
    assert Run(load([path])[0]).faults == []


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("edited", "it was changed since, or another key signed it"),
        ("other key", "it was changed since, or another key signed it"),
        ("no signature", "pusher.certificate.sig: there is no such file"),
        ("garbage", "pusher.certificate.sig: it is not a signature"),
        ("of another table", "it is of table other, not of pusher-1"),
        ("no certificate", "it is not a certificate"),
    ],
)
def test_a_certificate_that_does_not_count_shuts_the_machine_and_says_why(
    tmp_path: Path, harm: str, words: str
) -> None:
    config = machine(tmp_path)
    made = certified(config)
    path = certificate_path(config)
    beside = path.with_name(path.name + ".sig")
    if harm == "edited":
        path.write_text(path.read_text().replace('"8.0"', '"9.0"'), encoding="utf-8")
    elif harm == "other key":
        write(path, made, SigningKey(bytes([1] * 32)))
    elif harm == "no signature":
        beside.unlink()
    elif harm == "garbage":
        beside.write_text("not hex", encoding="utf-8")
    elif harm == "of another table":
        write(path, Certificate("other", "ann", "", {}, {}, {}), KEY)
    else:
        from controller.boards.detached_signature import write_signed

        write_signed(b"feltwire certificate\0", path, b"table = 1", KEY)
    run = Run(config)
    ((device, fault, detail),) = run.faults
    assert (device, fault) == ("certificate", "not_certified")
    assert words in detail
    run.run(1)
    run.table.command("clear", {"device": "certificate", "by": "ann"}, "c1")
    run.run(0.1)
    assert run.table.state == "shut"


def test_t2_47_another_device_on_the_bus_shuts_the_machine_before_it_takes_a_token(
    tmp_path: Path,
) -> None:
    config = machine(tmp_path)
    certified(config)
    run = Run(config)
    simulator = run.source._simulator
    assert isinstance(simulator, CoinPusherSimulator)
    simulator.coins.hopper.serial = (88).to_bytes(3, "little")
    run.run(3)
    assert run.faults == [
        ("certificate", "not_certified", "it is not what was certified: coins.hopper: serial was 710623, is 88")
    ]
    assert not simulator.coins.acceptor.takes
    # The certified one is put back; a device that was silent is asked again.
    simulator.coins.hopper.power_cut(run.clock.now_ns())
    run.run(4)
    simulator.coins.hopper.serial = (710_623).to_bytes(3, "little")
    simulator.coins.hopper.power_up(run.clock.now_ns())
    run.run(6)
    for device in ("coins", "certificate"):
        run.table.command("clear", {"device": device, "by": "ann"}, device)
    run.run(3)
    assert run.faults == []
    assert simulator.coins.acceptor.takes
    acts = [(one.act, one.detail) for one in run.said.of(events.MachineEvent) if one.act == "device_identified"]
    assert [detail.split(":")[0] for _, detail in acts] == ["coins.acceptor", "coins.hopper", "coins.hopper"]


def board(build: int = 0x1A2B3C4D, image: bytes = bytes(28), protocol: int = PROTOCOL) -> dict[str, dict[str, str]]:
    from controller.boards.identity import facts

    identity = IdentityAnswer(
        protocol=protocol, dictionary=0, kind=KINDS["pusher"].id, major=1, minor=0, patch=0, build=build, serial=7,
        boots=1, cause=1, inputs=8, outputs=4, analogues=0, counters=4, oldest=2, hung_at=0, image=image,
    )  # fmt: skip
    return {"board.pusher": facts("board.pusher", "pusher", identity)}


def test_m1_another_image_in_a_board_shuts_the_machine(tmp_path: Path) -> None:
    config = machine(tmp_path)
    made = made_now(config, {**SERVICE, **board()}, by="ann", time="")
    run = Run(config, CertificateState("there", "by ann", made))
    run.table.table.lifecycle.devices |= board()
    run.run(3)
    assert run.faults == []
    run.table.table.lifecycle.devices |= board(image=bytes(27) + b"\1")
    run.run(0.1)
    ((_, fault, detail),) = run.faults
    assert fault == "not_certified"
    was, now = f"1A2B3C4D{bytes(28).hex()}", f"1A2B3C4D{bytes(27).hex()}01"
    assert detail == f"it is not what was certified: board.pusher: hash was {was}, is {now}"


def test_t2_46_a_board_that_reports_32_bits_of_its_images_hash_gets_no_certificate() -> None:
    assert too_short_hashes({**SERVICE, **board()}) == []
    (refused,) = too_short_hashes({**SERVICE, **board(protocol=2)})
    assert "board.pusher reports 32 bits of the hash of its image, and a certificate takes 128 or more" in refused
    assert "feltwire boards flash" in refused


class Disk:
    """The files of the software, of which some can be changed."""

    def __init__(self) -> None:
        self.changed: dict[str, str | None] = {}

    def __call__(self) -> Iterator[tuple[str, str]]:
        for name, value in installed_files():
            changed = self.changed.get(name, value)
            if changed is not None:
                yield name, changed
        yield from ((name, "00") for name in self.changed if name.startswith("added"))


def test_t2_46_each_hour_the_software_is_compared_and_a_changed_file_is_named(tmp_path: Path) -> None:
    config = machine(tmp_path)
    made = certified(config)
    disk = Disk()
    run = Run(config)
    watch = CertificateWatch(config, CertificateState("there", "by ann", made), 0, disk)
    assert watch.begin() is None

    def hour_later(t_ns: int) -> EventList:
        said = EventList()
        for number in range(800):
            said += watch.report(run.table.table, t_ns + number * S // 50)
        return said

    assert hour_later(AGAIN_NS).story() == []
    disk.changed = {"controller/games/token_pusher/rounds.py": "00", "hal/clock.py": None, "added.py": "00"}
    assert hour_later(AGAIN_NS + 100 * S).story() == []
    fault = hour_later(2 * AGAIN_NS + 100 * S).one(events.DeviceFault)
    assert fault.blocks_play
    for words in ("file controller/games/token_pusher/rounds.py was changed", "file hal/clock.py is gone"):
        assert words in fault.detail
    assert "file added.py was added" in fault.detail
    assert run.table.table.faults.causes("certificate", "not_certified")
    disk.changed = {}
    hour_later(3 * AGAIN_NS + 200 * S)
    assert not run.table.table.faults.causes("certificate", "not_certified")


def test_another_difference_is_published_though_the_first_is_latched(tmp_path: Path) -> None:
    config = machine(tmp_path)
    made = certified(config)
    disk = Disk()
    run = Run(config)
    watch = CertificateWatch(config, CertificateState("there", "by ann", made), 0, disk)
    assert watch.begin() is None

    def hour_later(hours: int) -> EventList:
        said = EventList()
        for number in range(1200):
            said += watch.report(run.table.table, hours * (AGAIN_NS + 100 * S) + number * S // 50)
        return said

    disk.changed = {"hal/clock.py": "00"}
    assert "hal/clock.py" in hour_later(1).one(events.DeviceFault).detail
    disk.changed = {}
    assert hour_later(2).story() == []
    disk.changed = {"drivers/coins/hopper.py": "00"}
    assert "drivers/coins/hopper.py" in hour_later(3).one(events.DeviceWarning).detail
    assert run.table.table.faults.causes("certificate", "not_certified")


def test_what_python_runs_in_place_of_a_source_and_links_are_found(tmp_path: Path) -> None:
    for name in PACKAGES:
        (tmp_path / name).mkdir()
    source = tmp_path / "hal" / "award.py"
    source.write_text("AWARD = 1\n", encoding="utf-8")
    compile_all(tmp_path)
    before = dict(installed_files(tmp_path))
    (compiled,) = (tmp_path / "hal" / "__pycache__").iterdir()
    compiled.write_bytes(compiled.read_bytes().replace(b"AWARD", b"AWARE"))
    (tmp_path / "hal" / "__pycache__" / "award.cpython-30.pyc").write_bytes(b"of another interpreter")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "hal" / "more").symlink_to(tmp_path / "elsewhere")
    after = dict(installed_files(tmp_path))
    assert {name for name in after if after[name] != before.get(name)} == {
        f"hal/__pycache__/{compiled.name}",
        "hal/more",
    }


def test_what_a_board_is_measured_and_limited_by_is_part_of_the_model(tmp_path: Path) -> None:
    path = ROOT / "examples" / "token_pusher_board.toml"
    text = path.read_text(encoding="utf-8")
    at = text.index("\n", text.index("[board."))

    def model(more: str) -> dict[str, str]:
        path = tmp_path / "board.toml"
        path.write_text(text[: at + 1] + more + text[at + 1 :], encoding="utf-8")
        return model_of(load([path])[0])

    plain = model("")
    for more in ("supply_v = 4.5\n", 'require_build = "1A2B3C4D"\n'):
        assert model(more) != plain


@pytest.mark.long
def test_no_tick_in_which_a_machine_begins_reads_the_files(tmp_path: Path) -> None:
    config = machine(tmp_path)
    made = certified(config)
    read: list[str] = []

    def files() -> Iterator[tuple[str, str]]:
        for name, value in installed_files():
            read.append(name)
            yield name, value

    run = Run(config)
    watch = CertificateWatch(config, CertificateState("there", "by ann", made), 0, files)
    assert len(read) > 1000, "before the wires are opened"
    read.clear()
    # Its boards came late: what was compared is old.
    assert watch.begin() is None
    assert watch.report(run.table.table, 2 * AGAIN_NS) == []
    assert len(read) == FILES_A_TICK


def test_a_changed_file_shuts_the_machine_at_its_start(tmp_path: Path) -> None:
    config = machine(tmp_path)
    made = certified(config)
    disk = Disk()
    disk.changed = {"drivers/coins/hopper.py": "00"}
    fault = CertificateWatch(config, CertificateState("there", "by ann", made), 0, disk).begin()
    assert fault is not None
    assert fault.detail == "it is not what was certified: file drivers/coins/hopper.py was changed"


def test_a_laboratorys_key_counts_where_the_file_names_it(tmp_path: Path) -> None:
    path = tmp_path / "pusher.toml"
    path.write_text(coin_toml().replace("[lines]", f'certified_by = "{SIGNER.hex()}"\n[lines]', 1), encoding="utf-8")
    config = load([path])[0]
    certified(config)
    table_key = bytes(SigningKey(bytes([9] * 32)).verify_key)
    assert certificate_of(config, table_key).kind == "there"
    write(certificate_path(config), read(certificate_path(config), SIGNER), SigningKey(bytes([9] * 32)))
    assert certificate_of(config, table_key).kind == "missing"


def test_of_many_differences_some_are_named_and_the_rest_counted() -> None:
    assert difference_words([str(number) for number in range(9)]).endswith("0; 1; 2; 3; 4; 5, and 3 more")
