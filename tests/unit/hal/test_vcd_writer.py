"""What is written comes back."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.capture.command_text import read_command
from hal.capture.header import Timescale
from hal.capture.secret import FrameSealer, commitment
from hal.capture.string_values import escape, unescape
from hal.capture.vcd_reader import VcdReader, read_batches
from hal.capture.vcd_writer import CaptureLines, VcdWriter, write_capture, writing_capture
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Rare, Reading

LINES = CaptureLines(wires=("wheel_a", "wheel_b"), reals=("level_x",), links=("reader",))
TIMESCALES = [f"{size} {unit}" for unit in ("s", "ms", "us", "ns", "ps", "fs") for size in (1, 10, 100)]


def written(lines: CaptureLines, batches: list[Batch], sealer: FrameSealer | None = None) -> str:
    """The capture of these batches."""
    stream = io.StringIO()
    writer = VcdWriter(stream, lines, sealer=sealer)
    for batch in batches:
        writer.write(batch)
    writer.finish()
    return stream.getvalue()


def joined(batches: list[Batch]) -> tuple[list[Edge], list[Rare], int]:
    """The values of several batches as one."""
    return [e for b in batches for e in b.edges], [r for b in batches for r in b.rare], batches[-1].until_ns


def read_back(text: str, batch_values: int = 8192) -> list[Batch]:
    """The batches of a written capture."""
    return list(VcdReader(io.BytesIO(text.encode("ascii")), "back.vcd").batches(batch_values=batch_values))


def test_a_capture_looks_as_viewers_expect() -> None:
    lines = CaptureLines(
        wires=("wheel_a", "wheel_b"),
        links=("reader",),
        metadata={"detects_loss": "yes"},
        date="1970-01-01",
        timescale="1 us",
    )
    text = written(
        lines,
        [
            Batch([Edge("wheel_a", 0, 5000), Edge("wheel_a", 1, 6000)], [Frame("reader", b"*X 0\r", 6000)], 6500),
            Batch([], [EdgesLost("wheel_a", Loss.UNPLUGGED, 7000), read_command("void", 7000)], 9000),
        ],
    )
    assert (
        text
        == """\
$date 1970-01-01 $end
$version feltwire $end
$comment detects_loss=yes $end
$timescale 1 us $end
$scope module table $end
$var wire 1 ! wheel_a $end
$var wire 1 " wheel_b $end
$var string 1 # reader $end
$var string 1 $ command $end
$var string 1 % lost $end
$upscope $end
$enddefinitions $end
#5
$dumpvars
x!
x"
$end
0!
#6
1!
s*X\\x200\\x0d #
#7
x!
svoid $
#9
"""
    )


INSTANT = st.lists(
    st.one_of(
        st.tuples(st.just("edge"), st.sampled_from(LINES.wires), st.integers(0, 1)),
        st.tuples(st.just("reading"), st.floats(allow_nan=False, allow_infinity=False)),
        st.tuples(st.just("frame"), st.binary(max_size=40)),
        st.tuples(st.just("command"), st.text(st.characters(exclude_categories=["Cs"]), max_size=20)),
        st.tuples(
            st.just("lost"),
            st.sampled_from([*LINES.wires, "level_x", "gpiochip0", "a=b c"]),
            st.sampled_from(Loss),
            st.none() | st.integers(0, 10**6),
        ),
    ),
    max_size=5,
)


@st.composite
def random_batches(draw: st.DrawFn, unit_ns: int) -> list[Batch]:
    """Batches as sources may deliver them, with times in whole units; two equal levels in a row are among them."""
    batches: list[Batch] = []
    t_ns = draw(st.integers(0, min(10**9, 2**62 // unit_ns))) * unit_ns
    for _ in range(draw(st.integers(1, 4))):
        edges: list[Edge] = []
        rare: list[Rare] = []
        for things in draw(st.lists(INSTANT, max_size=5)):
            for thing in things:
                match thing:
                    case ("edge", line, level):
                        edges.append(Edge(line, level, t_ns))
                    case ("reading", number):
                        rare.append(Reading("level_x", number, t_ns))
                    case ("frame", data):
                        rare.append(Frame("reader", data, t_ns))
                    case ("command", text):
                        rare.append(read_command(text, t_ns))
                    case ("lost", line, cause, missing):
                        rare.append(EdgesLost(line, cause, t_ns, missing))
            t_ns += draw(st.integers(1, 1000)) * unit_ns
        batches.append(Batch(edges, rare, t_ns))
        t_ns += unit_ns
    return batches


@pytest.mark.long
@settings(max_examples=80, deadline=None)
@given(st.data(), st.sampled_from(TIMESCALES))
def test_reading_gives_what_was_written(data: st.DataObject, timescale: str) -> None:
    unit_ns = max(1, Timescale.parse(timescale).to_ns(1))
    batches = data.draw(random_batches(unit_ns=unit_ns))
    lines = CaptureLines(LINES.wires, LINES.reals, LINES.links, timescale=timescale)
    text = written(lines, batches)
    for batch_values in (1, 8192):
        assert joined(read_back(text, batch_values)) == joined(batches)
    assert joined(read_back(written(lines, read_back(text)))) == joined(batches)


@given(st.binary())
def test_bytes_survive_being_escaped(data: bytes) -> None:
    text = escape(data)
    assert text.isascii()
    assert not text or text.split() == [text]
    assert unescape(text.encode()) == data


def test_every_escape_of_gtkwave_is_read() -> None:
    assert unescape(rb"\a\b\f\n\r\t\v\'\"\\\?\x41\101\377") == b"\a\b\f\n\r\t\v'\"\\?AA\xff"


@pytest.mark.parametrize("wrong", [rb"\q", b"\\", rb"\x4", rb"\xgg", rb"\400", rb"\18"])
def test_an_escape_that_does_not_exist_is_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError, match="is not an escape"):
        unescape(wrong)


@given(st.integers(0, 2**62), st.sampled_from(TIMESCALES))
def test_a_timestamp_is_the_nearest_to_its_time(t_ns: int, text: str) -> None:
    scale = Timescale.parse(text)
    back_ns = scale.to_ns(scale.from_ns(t_ns))
    assert abs(back_ns - t_ns) * 2 <= scale.multiplier // scale.divisor


def test_times_between_units_are_rounded_in_order() -> None:
    lines = CaptureLines(("wheel_a",), timescale="1 us")
    batch = Batch([Edge("wheel_a", 0, 499), Edge("wheel_a", 1, 500), Edge("wheel_a", 0, 1499)], [], 2600)
    assert joined(read_back(written(lines, [batch]))) == (
        [Edge("wheel_a", 0, 0), Edge("wheel_a", 1, 1000), Edge("wheel_a", 0, 1000)],
        [],
        3000,
    )


def test_a_capture_begins_with_the_levels_that_were_found() -> None:
    stream = io.StringIO()
    writer = VcdWriter(stream, LINES)
    writer.begin(10, {"wheel_a": 1, "elsewhere": 0}, {"level_x": 0.25, "elsewhere": 1.0})
    writer.write(Batch([Edge("wheel_a", 0, 20), Edge("wheel_b", 0, 20)], [], 30))
    writer.finish(40)
    assert joined(read_back(stream.getvalue())) == (
        [Edge("wheel_a", 1, 10), Edge("wheel_a", 0, 20), Edge("wheel_b", 0, 20)],
        [Reading("level_x", 0.25, 10)],
        40,
    )
    with pytest.raises(RuntimeError, match="begins once"):
        writer.begin(50)


def test_an_empty_capture_is_legal() -> None:
    stream = io.StringIO()
    VcdWriter(stream, LINES).finish(5)
    assert joined(read_back(stream.getvalue())) == ([], [], 5)


def test_metadata_and_texts_cannot_break_the_header() -> None:
    lines = CaptureLines(
        ("a",), metadata={"note": "x $end = \n y", "end": "$end"}, date="now $end $var", version="é\n1"
    )
    header = VcdReader(io.BytesIO(written(lines, [Batch([], [], 0)]).encode("ascii")), "back.vcd").header
    assert header.metadata == lines.metadata
    assert [variable.name for variable in header.variables] == ["a", "command", "lost"]


def test_many_lines_have_ids_of_their_own() -> None:
    wires = tuple(f"w{n}" for n in range(4000))
    edges = [Edge(wire, n % 2, n) for n, wire in enumerate(wires)]
    assert joined(read_back(written(CaptureLines(wires), [Batch(edges, [], 4000)]))) == (edges, [], 4000)


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (Batch([Edge("nobody", 1, 0)], [], 0), "expected level 0 or 1 of one of the lines wheel_a, wheel_b"),
        (Batch([Edge("wheel_a", 2, 0)], [], 0), "expected level 0 or 1"),
        (Batch([Edge("wheel_a", 1, -1)], [], 0), "goes forward from 0"),
        (Batch([Edge("wheel_a", 1, 5), Edge("wheel_b", 1, 4)], [], 5), "goes forward from 0: 4 ns comes after 5"),
        (Batch([Edge("wheel_a", 1, 2**63)], [], 2**63), "past the last time"),
        (Batch([], [Reading("level_x", float("nan"), 0)], 0), "expected a finite value"),
        (Batch([], [Reading("nobody", 1.0, 0)], 0), "expected a finite value of one of level_x"),
        (Batch([], [Frame("nobody", b"", 0)], 0), "expected a frame of one of reader"),
        (Batch([], [Frame("reader", b"\0" * 5000, 0)], 0), "too long for a capture"),
    ],
)
def test_values_that_the_capture_did_not_declare_are_refused(batch: Batch, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        written(LINES, [batch])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (CaptureLines(("has space",)), "is not a name for a line"),
        (CaptureLines(("$end",)), "is not a name for a line"),
        (CaptureLines(("",)), "is not a name for a line"),
        (CaptureLines(("a", "a")), "declared twice"),
        (CaptureLines((), links=("command",)), "declared twice"),
        (CaptureLines(("a",), metadata={"Big": "x"}), "metadata key `Big`"),
        (CaptureLines(("a",), timescale="5 us"), "expected 1, 10 or 100"),
        (CaptureLines(tuple(f"w{n}" for n in range(5000))), "more than the 4096"),
        (CaptureLines(("a",), secret_links=frozenset({"shoe"})), "not among the links"),
        (CaptureLines((), links=("shoe",), secret_links=frozenset({"shoe"})), "takes a `Sealer`"),
    ],
)
def test_names_that_a_capture_cannot_hold_are_refused(lines: CaptureLines, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VcdWriter(io.StringIO(), lines)


def test_of_a_secret_link_only_a_commitment_is_written_that_its_salt_opens() -> None:
    sealer = FrameSealer({"shoe"}, bytes(range(32)))
    lines = CaptureLines((), links=("shoe", "reader"), secret_links=frozenset({"shoe"}))
    frames = [Frame("shoe", b"card QH", 5), Frame("reader", b"open", 6), Frame("shoe", b"card QH", 7)]
    text = written(lines, [Batch([], list(frames), 9)], sealer)
    assert "QH" not in text
    first, plain, second = read_back(text)[0].rare
    assert isinstance(first, Frame)
    assert isinstance(second, Frame)
    assert first == Frame("shoe.sealed", commitment(sealer.salt(frames[0]), b"card QH"), 5)
    assert plain == frames[1]
    assert first.data != second.data
    assert commitment(sealer.salt(frames[0]), b"card QS") != first.data
    assert sealer.salt(frames[0]).hex() not in text


def test_a_sealer_wants_a_key_that_cannot_be_tried() -> None:
    with pytest.raises(ValueError, match="expected at least 16"):
        FrameSealer({"shoe"}, b"short")


def test_a_file_stands_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "spin.vcd"
    write_capture(path, LINES, [Batch([Edge("wheel_a", 1, 5)], [], 9)])
    before = path.read_text()
    assert joined(list(read_batches(path))) == ([Edge("wheel_a", 1, 5)], [], 9)
    with pytest.raises(ValueError, match="expected level"), writing_capture(path, LINES) as writer:
        writer.write(Batch([Edge("wheel_a", 0, 5)], [], 9))
        writer.write(Batch([Edge("nobody", 0, 10)], [], 10))
    assert path.read_text() == before
    assert [file.name for file in tmp_path.iterdir()] == ["spin.vcd"]
