"""`feltwire boards` as people call it: boards on ptys, and an avrdude that only writes down what it was asked."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from nacl.signing import SigningKey

from audit.signing import create, public_half
from controller.cli import main
from controller.configuration.values import TableConfig
from controller.games.load import check
from hal.board import frames
from hal.board.bootloader import BootloaderVersion
from hal.board.firmware import VERSION
from hal.board.messages import KINDS, PROTOCOL, IdentifyCommand, IdentityAnswer
from hal.board.ports import SerialPort
from simulators.board.library import EmulationError
from tests.fakes.board_thread import BoardThread
from tests.fakes.firmware_build import BUILD, IMAGE, make_build
from tests.fakes.model_board import ModelBoard
from tests.fakes.service_process import FELTWIRE

ROOT = Path(__file__).resolve().parents[2]
AVRDUDE = """\
#!/bin/sh
printf '%s\\n' "$@" >> "{folder}/arguments"
for argument in "$@"; do
    case "$argument" in
        flash:w:*) image="${{argument#flash:w:}}"; cp "${{image%:i}}" "{folder}/written" ;;
    esac
done
printf 'Reading | ####' >&2
printf '#### | 100%% 0.01s\\n' >&2
{then}
"""
OLD_LOADER = """\
case "$*" in *"-b 115200"*) echo 'avrdude: stk500_getsync(): not in sync: resp=0x00' >&2; exit 1 ;; esac
"""
TORN = "echo 'avrdude: writing 1234 bytes flash ...' >&2; echo 'avrdude: verification error' >&2; exit 1"


def a_board(
    kind: str = "wheel", *, version: tuple[int, int, int] = VERSION, build: int = BUILD, image: bytes = IMAGE[4:]
) -> ModelBoard:
    return ModelBoard(KINDS[kind], version=version, build=build, image=image)


class StrangeIdentity(IdentityAnswer, frozen=True):
    """An identity of another protocol: its layout is not ours."""

    def pack(self, protocol: int | None = None) -> bytes:
        return b"\x09\0" + bytes(10)


class Bench:
    """A folder with a build of firmware, a place for a port, and an avrdude on the PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = folder / "port"
        self.manifest = make_build(folder)
        self.with_avrdude("exit 0")

    def with_avrdude(self, then: str) -> None:
        program = self.folder / "bin" / "avrdude"
        program.parent.mkdir(exist_ok=True)
        program.write_text(AVRDUDE.format(folder=self.folder, then=then))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def call(self, *arguments: str | Path, path: str | None = None) -> Result:
        environment = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}" if path is None else path}
        return CliRunner(env=environment).invoke(main, ["boards", *map(str, arguments)], catch_exceptions=False)

    def flash(self, kind: str = "wheel", *options: str | Path) -> Result:
        return self.call("flash", kind, self.port, "--file", self.manifest, *options)

    @property
    def asked(self) -> list[list[str]]:
        """The arguments of each call of avrdude."""
        path = self.folder / "arguments"
        if not path.exists():
            return []
        words = path.read_text().splitlines()
        starts = [at for at, word in enumerate(words) if word == "-c"]
        return [words[start:end] for start, end in zip(starts, [*starts[1:], len(words)], strict=True)]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench whose boards have Optiboot; real bootloaders are asked in tests/firmware."""
    with_bootloader(monkeypatch, BootloaderVersion(115_200, 4, 4))
    return Bench(tmp_path)


def with_bootloader(patch: pytest.MonkeyPatch, version: BootloaderVersion | None) -> None:
    async def ask_version(port: str) -> BootloaderVersion | None:
        return version

    patch.setattr("controller.cli.boards_firmware.ask_version", ask_version)


# --- identify and list ----------------------------------------------------------------------------------------------


def test_identify_tells_what_is_on_a_port_and_sends_nothing_but_the_question(bench: Bench) -> None:
    with BoardThread(bench.port, a_board()) as thread:
        result = bench.call("identify", bench.port)
    assert result.exit_code == 0, result.output
    dotted = ".".join(map(str, VERSION))
    begun = f"firmware {dotted}, build {BUILD:08X}, begun once: its power"
    assert f"{bench.port}: wheel board, {begun}" in result.output
    assert "its firmware works with this software" in result.output
    sent = {frames.decode(piece) for piece in thread.heard.split(frames.END) if piece}
    assert sent == {frames.BoardFrame(0, IdentifyCommand.id, b"")}


def test_identify_of_a_board_with_another_image_of_a_known_protocol_is_content(bench: Bench) -> None:
    with BoardThread(bench.port, a_board(version=(7, 0, 0), build=0xC0FFEE)):
        result = bench.call("identify", bench.port)
    assert result.exit_code == 0
    assert "firmware 7.0.0, build 00C0FFEE" in result.output


def test_identify_of_a_board_of_a_protocol_that_is_not_known_names_both(bench: Bench) -> None:
    board = a_board()
    board.identity = msgspec.structs.replace(board.identity, protocol=9, oldest=8)
    with BoardThread(bench.port, board):
        result = bench.call("identify", bench.port)
    assert result.exit_code == 1
    assert "found protocol 9, which works with hosts of protocol 8 and later; flash its firmware with: feltwire" in (
        result.output
    )


def test_identify_of_a_port_that_is_not_there_says_how_to_find_those_that_are(bench: Bench) -> None:
    result = bench.call("identify", bench.port)
    assert result.exit_code == 1
    assert "there is no such port: feltwire boards list shows those that there are" in result.stderr


def test_identify_of_a_port_on_which_nothing_answers_names_the_option_for_another_chip(bench: Bench) -> None:
    result = bench.call("identify", "loop://")
    assert result.exit_code == 1
    assert "it was asked as an Arduino Nano or Uno: give --chip rp2040 for a Raspberry Pi Pico" in result.stderr


def test_identify_of_what_is_no_port_says_so(bench: Bench) -> None:
    result = bench.call("identify", "gopher://x")
    assert result.exit_code == 1
    assert "gopher" in result.stderr


def test_list_asks_each_port_on_usb_and_leaves_the_others_alone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    ports = [
        SerialPort(str(bench.port), "/dev/ttyUSB7", "USB Serial", True),
        SerialPort("/dev/serial/by-id/gone", "/dev/ttyUSB8", "", True),
        SerialPort("/dev/ttyAMA0", "/dev/ttyAMA0", "", False),
    ]
    monkeypatch.setattr("controller.cli.boards.serial_ports", lambda: ports)
    with BoardThread(bench.port, a_board("pusher")):
        result = bench.call("list")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == f"{bench.port}  (/dev/ttyUSB7, USB Serial)"
    assert lines[1].startswith("    pusher board, firmware ")
    assert lines[2] == "    its firmware works with this software"
    assert lines[3] == "/dev/serial/by-id/gone  (/dev/ttyUSB8)"
    assert "there is no such port" in lines[4]
    assert lines[5:] == [
        "/dev/ttyAMA0",
        "    not queried, because it is not on USB: feltwire boards identify /dev/ttyAMA0",
    ]


def test_list_without_ports_says_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.cli.boards.serial_ports", list)
    assert bench.call("list").output == "no serial ports; plug a board in, and read dmesg if it does not appear\n"


# --- check and sign -------------------------------------------------------------------------------------------------


def test_check_tells_of_each_image_that_it_is_whole(bench: Bench) -> None:
    result = bench.call("check", bench.manifest)
    assert result.exit_code == 0
    assert [line.partition(":")[0] for line in result.output.splitlines()] == [
        str(bench.manifest),
        *(str(bench.folder / f"{kind}.hex") for kind in KINDS),
    ]
    note, one = bench.call("check", bench.folder / "reel.hex").output.splitlines()
    assert one.startswith(f"{bench.folder / 'reel.hex'}: reel firmware ")
    assert note.startswith(f"{bench.manifest}: it is not signed; ")


def test_check_refuses_what_was_changed(bench: Bench) -> None:
    (bench.folder / "reel.hex").write_text("changed")
    result = bench.call("check", bench.manifest)
    assert result.exit_code == 2
    assert "its SHA-256 is" in result.stderr
    assert bench.call("check", bench.folder / "wheel.hex").exit_code == 0


def test_what_is_signed_is_taken_from_its_signer_only(bench: Bench, tmp_path: Path) -> None:
    key = create(tmp_path / "maker.key")
    signed = bench.call("sign", bench.manifest, "--key", tmp_path / "maker.key")
    assert signed.output == f"{bench.folder / 'manifest.json.sig'}: signed by {public_half(key)}\n"
    assert bench.call("check", bench.manifest, "--signer", public_half(key)).exit_code == 0
    assert "the signature was not checked; give --signer" in bench.call("check", bench.manifest).output
    other = bytes(SigningKey.generate().verify_key).hex()
    refused = bench.call("check", bench.manifest, "--signer", other)
    assert refused.exit_code == 2
    assert f"it is not a signature of manifest.json by {other}" in refused.stderr


def test_sign_takes_no_key_that_others_may_read_and_no_changed_image(bench: Bench, tmp_path: Path) -> None:
    create(tmp_path / "maker.key")
    (tmp_path / "maker.key").chmod(0o644)
    assert bench.call("sign", bench.manifest, "--key", tmp_path / "maker.key").exit_code == 2
    (tmp_path / "maker.key").chmod(0o600)
    (bench.folder / "reel.hex").write_text("changed")
    assert bench.call("sign", bench.manifest, "--key", tmp_path / "maker.key").exit_code == 2
    assert not (bench.folder / "manifest.json.sig").exists()


# --- flash ----------------------------------------------------------------------------------------------------------


def test_flash_checks_then_writes_with_progress_and_asks_the_board_afterwards(bench: Bench) -> None:
    with BoardThread(bench.port, a_board(build=0xC0FFEE), each=_becomes_new(bench)):
        result = bench.flash()
    assert result.exit_code == 0, result.output
    (asked,) = bench.asked
    assert asked[:-1] == ["-c", "arduino", "-p", "atmega328p", "-P", str(bench.port), "-b", "115200", "-D", "-U"]
    assert asked[-1].startswith("flash:w:/")
    assert asked[-1].endswith("image.hex:i")
    assert (bench.folder / "written").read_bytes() == (bench.folder / "wheel.hex").read_bytes()
    assert "Reading | ######## | 100% 0.01s" in result.stderr
    assert "board: wheel board, firmware " in result.stdout
    assert result.stdout.splitlines()[-1].startswith(f"{bench.port}: wheel board, firmware ")
    assert result.stdout.endswith(": ok\n")


def test_flash_leaves_no_board_with_a_bootloader_that_does_not_survive_the_watchdog(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_bootloader(monkeypatch, BootloaderVersion(57_600, 1, 16))
    with BoardThread(bench.port, a_board()):
        result = bench.flash()
    assert result.exit_code == 2
    assert bench.asked == []
    assert "its bootloader (version 1.16, of Nanos from before 2018) never comes back from a reset" in result.stderr


def test_flash_of_a_board_whose_auto_reset_is_cut_says_when_to_press_the_button(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_bootloader(monkeypatch, None)
    with BoardThread(bench.port, a_board()):
        result = bench.flash()
    assert result.exit_code == 0, result.output
    assert "press the board's reset button when avrdude begins" in result.stdout


def test_check_of_a_port_asks_the_board_on_it(bench: Bench) -> None:
    with BoardThread(bench.port, a_board("pusher")):
        result = bench.call("check", bench.port.resolve())
    assert result.exit_code == 0, result.output
    assert "it has no DTR line" in result.stdout
    assert "opening its port leaves it alone: ok" in result.stdout


def test_check_of_a_money_board_that_dtr_resets_says_what_to_cut(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def reset_by_dtr(port: str, clock: object) -> tuple[IdentityAnswer, bool]:
        return a_board(kind).identity, True

    monkeypatch.setattr("controller.cli.boards_firmware.reset_by_dtr", reset_by_dtr)
    kind = "pusher"
    refused = bench.call("check", "/dev/ttyUSB7")
    assert refused.exit_code == 1
    assert "opening its port reset it" in refused.stderr
    assert "cut its auto-reset" in refused.stderr
    kind = "wheel"
    assert bench.call("check", "/dev/ttyUSB7").exit_code == 0


def test_flash_at_one_baud_tries_no_other(bench: Bench) -> None:
    bench.with_avrdude(OLD_LOADER)
    with BoardThread(bench.port, a_board()):
        result = bench.flash("wheel", "--baud", "115200")
    assert result.exit_code == 1
    assert len(bench.asked) == 1
    assert "no bootloader answered; avrdude ended with 1 at 115200 baud: avrdude: stk500_getsync()" in result.stderr


def test_flash_that_breaks_off_says_that_half_an_image_may_be_there(bench: Bench) -> None:
    bench.with_avrdude(TORN)
    with BoardThread(bench.port, a_board()):
        result = bench.flash()
    assert result.exit_code == 1
    assert len(bench.asked) == 1, "another rate would not help"
    assert "avrdude: verification error; the board may hold half an image" in result.stderr


def test_flash_without_avrdude_says_how_to_install_it(bench: Bench) -> None:
    with BoardThread(bench.port, a_board()):
        result = bench.call("flash", "wheel", bench.port, "--file", bench.manifest, path=str(bench.folder))
    assert result.exit_code == 1
    assert "avrdude is not installed, and flashing needs it: sudo apt install avrdude" in result.stderr


def test_flash_of_a_board_that_says_something_else_afterwards_fails(bench: Bench) -> None:
    with BoardThread(bench.port, a_board(build=0xC0FFEE)):
        result = bench.flash()
    assert result.exit_code == 1
    assert f"written, but the check of the board failed: expected build {BUILD:08X}, found build 00C0FFEE" in (
        result.stderr
    )


def test_flash_of_a_board_whose_image_differs_behind_its_number_fails(bench: Bench) -> None:
    with BoardThread(bench.port, a_board(image=IMAGE[4:-1] + b"?")):
        result = bench.flash()
    assert result.exit_code == 1
    assert f"expected build {IMAGE.hex().upper()}, found build {IMAGE[:-1].hex().upper()}3F" in result.stderr


def test_flash_writes_nothing_that_is_not_proven(bench: Bench) -> None:
    (bench.folder / "wheel.hex").write_text("changed")
    with BoardThread(bench.port, a_board()):
        result = bench.flash()
    assert result.exit_code == 2
    assert bench.asked == []
    assert "its SHA-256 is" in result.stderr


def test_flash_takes_no_image_of_another_kind(bench: Bench) -> None:
    result = bench.call("flash", "pusher", bench.port, "--file", bench.folder / "wheel.hex")
    assert result.exit_code == 2
    assert f"{bench.folder / 'wheel.hex'}: it is the wheel firmware, and the pusher firmware was asked for" in (
        result.stderr
    )


def test_flash_makes_no_other_kind_of_a_board_unless_that_is_meant(bench: Bench) -> None:
    with BoardThread(bench.port, a_board("pusher")):
        result = bench.flash("wheel")
        assert result.exit_code == 2
        assert "a pusher board (firmware " in result.stderr
        assert "would become a wheel board" in result.stderr
        assert bench.asked == []
        meant = bench.flash("wheel", "--change-kind")
    assert len(bench.asked) == 1
    assert "expected a board of kind 'wheel', found kind 'pusher'" in meant.stderr, "the model stays what it is"


def test_flash_of_a_board_of_another_protocol_asks_whether_its_wires_are_meant(bench: Bench) -> None:
    board = a_board()
    board.identity = StrangeIdentity(**msgspec.structs.asdict(board.identity))
    with BoardThread(bench.port, board):
        result = bench.flash()
        assert result.exit_code == 2
        assert f"a board of protocol 9, and this software speaks protocol {PROTOCOL}" in result.stderr
        assert "Its kind is unknown" in result.stderr
        assert bench.asked == []
        bench.flash("wheel", "--change-kind")
    assert len(bench.asked) == 1


def test_flash_leaves_alone_what_is_no_port(bench: Bench) -> None:
    result = bench.call("flash", "wheel", "gopher://x", "--file", bench.manifest)
    assert result.exit_code == 2
    assert "gopher" in result.stderr
    assert bench.asked == []


def test_flash_leaves_a_port_alone_that_cannot_be_used(bench: Bench) -> None:
    result = bench.flash()
    assert result.exit_code == 2
    assert "there is no such port" in result.stderr
    assert bench.asked == []


def test_flash_of_a_manifest_that_another_key_signed_is_refused(bench: Bench, tmp_path: Path) -> None:
    create(tmp_path / "maker.key")
    bench.call("sign", bench.manifest, "--key", tmp_path / "maker.key")
    result = bench.flash("wheel", "--signer", bytes(SigningKey.generate().verify_key).hex())
    assert result.exit_code == 2
    assert bench.asked == []


def test_flash_of_firmware_of_an_unknown_protocol_names_both(bench: Bench) -> None:
    values = json.loads(bench.manifest.read_text())
    bench.manifest.write_text(json.dumps(values | {"protocol": 0}))
    result = bench.flash()
    assert result.exit_code == 2
    assert "firmware is of protocol 0, but this software needs protocol" in result.stderr


# --- trace and emulate ----------------------------------------------------------------------------------------------


def test_trace_of_a_port_that_is_not_there_says_so_and_that_no_board_was_up(bench: Bench) -> None:
    arguments = [str(FELTWIRE), "boards", "trace", str(bench.port), "--wait"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as trace:
        assert trace.stdout is not None
        assert trace.stderr is not None
        assert "its port is down" in trace.stdout.readline()
        trace.send_signal(signal.SIGINT)
        assert f"{bench.port}: the board did not come up" in trace.stderr.read()
    assert trace.returncode == 1


@pytest.mark.parametrize("lines", [0, 1, 30])
def test_a_trace_whose_reader_goes_ends_quietly(bench: Bench, lines: int) -> None:
    arguments = [str(FELTWIRE), "boards", "trace", str(bench.port)]
    with BoardThread(bench.port, a_board()):
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as trace:
            assert trace.stdout is not None
            assert trace.stderr is not None
            for _ in range(lines):
                assert trace.stdout.readline()
            trace.stdout.close()
            assert trace.stderr.read() == b""
        assert trace.returncode == 1


def test_trace_of_what_is_no_port_says_so(bench: Bench) -> None:
    result = bench.call("trace", "gopher://x")
    assert result.exit_code == 1
    assert "gopher" in result.stderr


class Emulated:
    """What `emulate` was asked for."""

    def __init__(self, ends_with: BaseException | None = None) -> None:
        self.folder = Path()
        self.seed = 0
        self.faults: Mapping[int | None, str] = {}
        self._ends_with = ends_with

    def __call__(
        self, config: TableConfig, folder: Path, *, seed: int, faults: Mapping[int | None, str], **rest: object
    ) -> None:
        self.folder, self.seed, self.faults = folder, seed, faults
        if self._ends_with is not None:
            raise self._ends_with


ROULETTE = ROOT / "examples" / "roulette_board.toml"


def test_emulate_writes_a_copy_and_says_how_to_run_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    emulated = Emulated(KeyboardInterrupt())
    monkeypatch.setattr("controller.boards.emulation.emulate", emulated)
    monkeypatch.setattr("controller.boards.emulation.check_built", lambda config: None)
    place = bench.folder / "boards"
    options = ["--dir", str(place), "--seed", "5", "--fault", "same_direction@2"]
    result = bench.call("emulate", ROULETTE, *options)
    assert result.exit_code == 0, result.output
    copy = place / "roulette-5.toml"
    assert result.output.splitlines() == [
        f"board wheel: {place / 'wheel'}",
        f"board desk: {place / 'desk'}",
        f"in a second terminal: {sys.argv[0]} run {copy}",
        "ended",
    ]
    assert (emulated.folder, emulated.seed, emulated.faults) == (place, 5, {2: "same_direction"})
    assert check([copy]).problems == []
    assert check([copy]).tables[0].simulated


def test_emulate_has_its_ports_beside_the_folder_of_services_and_not_in_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    emulated = Emulated()
    monkeypatch.setattr("controller.boards.emulation.emulate", emulated)
    monkeypatch.setattr("controller.boards.emulation.check_built", lambda config: None)
    monkeypatch.setenv("FELTWIRE_RUNTIME", str(bench.folder / "run"))
    assert bench.call("emulate", ROULETTE).exit_code == 0
    assert emulated.folder == bench.folder / "run-boards" / "roulette-5"
    assert not (bench.folder / "run").exists()


def test_emulate_of_a_table_without_boards_says_what_to_write(bench: Bench) -> None:
    result = bench.call("emulate", ROOT / "examples" / "roulette.toml")
    assert result.exit_code == 2
    assert 'it has no boards; write backend = "board" and [board.wheel]' in result.stderr


def test_emulate_with_a_fault_that_there_is_not_says_so(bench: Bench) -> None:
    result = bench.call("emulate", ROULETTE, "--fault", "gremlins")
    assert result.exit_code == 2
    assert "gremlins" in result.stderr


def test_emulate_without_firmware_says_how_to_build_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulators.board.emulated.LIBRARY", bench.folder / "libsimboard.so")
    result = bench.call("emulate", ROULETTE)
    assert result.exit_code == 2
    assert "build firmware and emulator with: make firmware" in result.stderr


def test_a_board_that_fails_while_it_is_emulated_ends_the_command(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.boards.emulation.emulate", Emulated(EmulationError("it left its code")))
    monkeypatch.setattr("controller.boards.emulation.check_built", lambda config: None)
    result = bench.call("emulate", ROULETTE, "--dir", bench.folder / "boards")
    assert result.exit_code == 1
    assert "it left its code" in result.stderr


def test_a_trace_of_a_port_that_is_missing_says_how_to_wait(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.cli.boards_trace.PATIENCE_S", 0.3)
    result = bench.call("trace", bench.port)
    assert result.exit_code == 1
    assert "its port is down" in result.output
    assert "the board did not come up in 0.3 s; feltwire boards list shows the ports, and --wait waits for it" in (
        result.stderr
    )


@pytest.mark.parametrize("command", ["", "list", "identify", "check", "sign", "flash", "name", "trace", "emulate"])
def test_help_teaches_with_an_example_and_tells_the_exit_codes(bench: Bench, command: str) -> None:
    result = bench.call(*([command] if command else []), "--help")
    assert result.exit_code == 0
    assert "feltwire boards" in result.output.replace("boards [OPTIONS]", "")
    assert "Exit code" in result.output


def _becomes_new(bench: Bench) -> Callable[[ModelBoard], None]:
    """A board that has this software's firmware once avrdude has run."""

    def look(board: ModelBoard) -> None:
        if (bench.folder / "written").exists() and board.identity.build != BUILD:
            board.identity = msgspec.structs.replace(board.identity, build=BUILD, image=IMAGE[4:])

    return look
