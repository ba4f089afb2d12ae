"""Broken `*X` streams: never an exception, and never an agreed number that a sound stream did not state.

What is sound is written down here a second time, as patterns over the lines, and shares nothing with the driver.
"""

import re
from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from drivers.base.driver import Observation
from drivers.roulette.star_x import AutoNumber, StarXConfig, StarXWheel
from hal.framing import LineFramer, received
from hal.values import EdgesLost, Frame
from simulators.roulette.star_x import STAR_X_FAULTS, StarXChunk, StarXSimulator

LINK = "wheel_serial"
S = 1_000_000_000
STATUS = re.compile(rb"\*X;([1-7]);(\d{3});( [0-9]|[12][0-9]|3[0-6]|00|  );([0-9A-Fa-f]);(\d{3});([01])")
TALK = re.compile(rb"\*(Y;[!-:<-~];\d{3}|[ -WZ-~] [ -~]{1,16})")
BARE = re.compile(rb" [0-9]|[12][0-9]|3[0-6]|00")
SOUND = re.compile(r"23+4[4b]*(7[7b]*)?5")


def run(chunks: Sequence[StarXChunk]) -> tuple[list[Frame | EdgesLost], list[tuple[int, Observation]]]:
    """The lines that came, and each observation with how many of them had come."""
    driver, framer = StarXWheel(StarXConfig(), "wheel"), LineFramer(max_length=32)
    lines: list[Frame | EdgesLost] = []
    seen: list[tuple[int, Observation]] = []
    for chunk in chunks:
        for value in received(LINK, framer, chunk.data, chunk.t_ns):
            lines.append(value)
            told = driver.frame(value) if isinstance(value, Frame) else driver.lost(value)
            seen += [(len(lines), observation) for observation in told]
    return lines, seen


def is_sound(lines: Sequence[Frame | EdgesLost], pocket: str) -> bool:
    """Whether the last of these lines states this number at the end of a spin without a flaw.

    The spin begins with state 3; the line before it has state 2, with nothing but flaws between the two.
    """
    story, directions, numbers = "", set(), set()
    later_ns = lines[-1].t_ns
    flaw = False
    for value in reversed(lines):
        status = STATUS.fullmatch(value.data) if isinstance(value, Frame) else None
        if status is None:
            if isinstance(value, Frame) and TALK.fullmatch(value.data):
                continue
            if story.startswith("3"):
                # Between the game that is open and the ball in the rim it does not matter; in the rim it does.
                flaw = True
                continue
            if isinstance(value, EdgesLost) or not BARE.fullmatch(value.data):
                return False
            if story == "5" and lines[-1].t_ns - value.t_ns > S:
                return False
            story = "b" + story
            numbers.add(value.data.decode().strip())
            continue
        state, _, shown, flags, rpm_x10, direction = (field.decode() for field in status.groups())
        if later_ns - value.t_ns > 2 * S:
            return False
        if state == "2":
            story = state + story
            break
        if flaw or int(rpm_x10) > 400 or flags != "0":
            return False
        if state == "5":
            numbers.add(shown.strip())
        later_ns = value.t_ns
        directions.add(direction)
        story = state + story
    return bool(SOUND.fullmatch(story)) and "b" in story and numbers == {pocket} and len(directions) == 1


def check(chunks: Sequence[StarXChunk]) -> int:
    """Checks every agreed number of a stream; returns how many there were."""
    lines, seen = run(chunks)
    times = [observation.t_ns for _, observation in seen]
    assert times == sorted(times)
    agreed = [(count, told) for count, told in seen if isinstance(told, AutoNumber) and told.agreed]
    for count, number in agreed:
        assert is_sound(lines[:count], number.pocket), (number, lines[max(0, count - 9) : count])
    return len(agreed)


def test_the_oracle_knows_a_sound_spin_when_it_sees_one() -> None:
    assert check([chunk for spin in StarXSimulator(1).spins(20) for chunk in spin.chunks]) == 20


def shortened(seed: int, faults: dict[int, str]) -> list[StarXChunk]:
    """Three spins as whole lines, without most of the repetitions: more of what matters in fewer bytes."""
    lines: list[StarXChunk] = []
    for spin in StarXSimulator(seed).spins(3, faults):
        data = b"".join(chunk.data for chunk in spin.chunks)
        last = b""
        repeats = 0
        for line in data.splitlines(keepends=True):
            repeats = repeats + 1 if line[:4] == last[:4] else 0
            last = line
            if repeats < 2:
                t_ns = lines[-1].t_ns + S // 2 if lines else S
                lines.append(StarXChunk(t_ns, line))
    return lines


@st.composite
def broken_streams(draw: st.DrawFn) -> list[StarXChunk]:
    """A simulated stream with bytes changed, lost, put in, and lines lost, repeated, swapped and delayed."""
    fault = draw(st.none() | st.sampled_from(sorted(STAR_X_FAULTS)))
    chunks = shortened(draw(st.integers(0, 50)), {2: fault} if fault else {})
    for _ in range(draw(st.integers(0, 6))):
        k = draw(st.integers(0, len(chunks) - 1))
        t_ns, data = chunks[k]
        at = draw(st.integers(0, max(0, len(data) - 1)))
        kind = draw(st.sampled_from(["byte", "digit", "lose", "insert", "drop", "repeat", "swap", "gap", "move"]))
        if kind == "byte":
            chunks[k] = StarXChunk(t_ns, data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :])
        elif kind == "digit":
            chunks[k] = StarXChunk(
                t_ns, data[:at] + draw(st.sampled_from([b"%d" % d for d in range(10)])) + data[at + 1 :]
            )
        elif kind == "lose":
            chunks[k] = StarXChunk(t_ns, data[:at] + data[at + draw(st.integers(1, 30)) :])
        elif kind == "insert":
            chunks[k] = StarXChunk(t_ns, data[:at] + draw(st.binary(max_size=40)) + data[at:])
        elif kind == "drop":
            del chunks[k : k + draw(st.integers(1, 3))]
        elif kind == "repeat":
            chunks.insert(k, chunks[k])
        elif kind == "swap" and k:
            before = chunks[k - 1]
            chunks[k - 1], chunks[k] = StarXChunk(before.t_ns, data), StarXChunk(t_ns, before.data)
        elif kind == "gap":
            late_ns = draw(st.integers(0, 4 * S))
            chunks[k:] = [StarXChunk(later.t_ns + late_ns, later.data) for later in chunks[k:]]
        elif kind == "move":
            other = draw(st.integers(0, len(chunks) - 1))
            chunks.insert(k, StarXChunk(t_ns, chunks[other].data))
        if not chunks:
            return [StarXChunk(0, b"")]
    return chunks


@settings(max_examples=100, deadline=None)
@given(broken_streams())
def test_a_broken_stream_never_gives_a_number_that_it_does_not_prove(chunks: list[StarXChunk]) -> None:
    check(chunks)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3 * S), st.binary(max_size=60)), max_size=30))
@example([(0, b"*X;5;117;13;0;002;0\r\n13\r\n\x00*X;" + b"9" * 500)])
def test_random_bytes_never_give_a_number(pieces: list[tuple[int, bytes]]) -> None:
    t_ns = 0
    chunks: list[StarXChunk] = []
    for gap_ns, data in pieces:
        t_ns += gap_ns
        chunks.append(StarXChunk(t_ns, data))
    assert check(chunks) == 0


LINES = st.builds(
    lambda s, n, w, f, v, d: b"*X;%d;%03d;%2s;%s;%03d;%d\r\n" % (s, n, w, f, v, d),
    st.integers(1, 7),
    st.integers(117, 119),
    st.sampled_from([b"7", b"22"]),
    st.sampled_from([b"0"] * 9 + [b"1", b"2", b"4", b"8"]),
    st.sampled_from([170] * 9 + [953]),
    st.sampled_from([0] * 9 + [1]),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(LINES | st.sampled_from([b"22\r\n", b" 7\r\n", b"*P OK\r\n", b"garbage\r\n"]), max_size=40), st.data())
def test_well_formed_lines_in_any_order_give_no_number_that_they_do_not_prove(
    lines: list[bytes], data: st.DataObject
) -> None:
    gap_ns = data.draw(st.sampled_from([S // 10, S // 2, S, 2 * S + 1]))
    spin = [b"*X;%d;118; 7;0;170;0\r\n" % state for state in (1, 2, 3, 4)]
    lines[data.draw(st.integers(0, len(lines))) :] = [*spin, *lines[:3], b"22\r\n", b"*X;5;118;22;0;170;0\r\n"]
    check([StarXChunk(k * gap_ns, line) for k, line in enumerate(lines)])


def test_a_bare_number_from_before_the_spin_is_not_the_spin_s() -> None:
    before = [b"*X;2;117;22;0;170;0\r\n", b"*X;3;117;22;0;170;0\r\n", b"*X;4;117;22;0;170;0\r\n", b" 7\r\n"]
    spin = [b"*X;%d;118; 7;0;170;0\r\n" % state for state in (1, 2, 3, 4, 5)]
    assert check([StarXChunk(k * S // 10, line) for k, line in enumerate([*before, *spin])]) == 0
