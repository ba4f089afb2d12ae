"""Whatever a file holds, reading it gives batches or a `CaptureError`: no other exception, and no hang."""

from __future__ import annotations

import io

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hal.capture.errors import CaptureError
from hal.capture.vcd_reader import VcdReader
from hal.values import Edge, EdgesLost

VALID = b"""\
$date today $end
$comment detects_loss=yes $end
$timescale 10 us $end
$scope module table $end
$var wire 1 ! wheel_a $end
$var wire 1 " wheel_b $end
$scope module inner $end
$var real 64 # level_x $end
$var reg 8 $ bus [7:0] $end
$upscope $end
$var string 1 % reader $end
$var string 1 & command $end
$var string 1 ' lost $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
x"
r0.25 #
$end
#5
1!
1"
b10xz $
#70
s*X\\x200\\015\\n %
svoid\\x20why=spill &
#71
swheel_a=overflow,3 '
swheel_a=again '
$dumpoff
x!
x"
$end
#900
$dumpon
0!
b1 "
$end
$comment the end $end
#1000
"""

WORDS = VALID.split()
SPLICES = st.sampled_from(
    [*WORDS, b"\r",
     b"#", b"#99999999999999999999", b"#-1", b"b", b"r", b"s", b"$", b"$end", b"x", b"rnan", b"r1e400", b"1e5",
     b"\x00", b"\xff\xfe", b"\\", b"s\\", b"s\\x", b"s\\777", b"#" + b"9" * 5000, b"9" * 20000, b" " * 20000, b"\n"]
)  # fmt: skip


def consume(data: bytes) -> int:
    """Reads everything, and checks what every reader of batches may rely on."""
    values = 0
    until_ns = -1
    try:
        for batch in VcdReader(io.BytesIO(data), "fuzz.vcd").batches(batch_values=4):
            times = [edge.t_ns for edge in batch.edges]
            assert times == sorted(times)
            assert [value.t_ns for value in batch.rare] == sorted(value.t_ns for value in batch.rare)
            assert all(until_ns < value.t_ns <= batch.until_ns for value in (*batch.edges, *batch.rare))
            assert all(type(edge) is Edge and edge.level in (0, 1) for edge in batch.edges)
            until_ns = batch.until_ns
            values += len(batch.edges) + len(batch.rare)
    except CaptureError as error:
        assert error.cause
        assert error.fix
        assert error.line is not None
        assert 1 <= error.line <= data.count(b"\n") + 1
        return -1
    return values


def test_the_capture_that_is_mutated_is_good() -> None:
    assert consume(VALID) == 12
    batches = list(VcdReader(io.BytesIO(VALID), "fuzz.vcd").batches())
    assert sum(isinstance(value, EdgesLost) for batch in batches for value in batch.rare) == 3


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, len(WORDS) - 1), st.sampled_from("drsi"), SPLICES), min_size=1, max_size=4))
def test_words_that_are_dropped_doubled_or_replaced_give_batches_or_an_error(
    changes: list[tuple[int, str, bytes]],
) -> None:
    words = list(WORDS)
    for index, change, splice in changes:
        place = index % len(words)
        match change:
            case "d":
                del words[place]
            case "r":
                words[place] = splice
            case "s":
                words[place], words[-1 - place] = words[-1 - place], words[place]
            case "i":
                words.insert(place, splice)
    consume(b"\n".join(words))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 255)), min_size=1, max_size=8), st.booleans())
def test_bytes_that_are_changed_give_batches_or_an_error(changes: list[tuple[int, int]], late: bool) -> None:
    data = bytearray(VALID)
    body = VALID.index(b"#0\n")
    for index, byte in changes:
        data[max(index, body) if late else index] = byte
    consume(bytes(data))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(VALID)), st.integers(0, len(VALID)))
def test_a_capture_that_is_cut_at_either_end_gives_batches_or_an_error(start: int, end: int) -> None:
    consume(VALID[:end])
    consume(VALID[start:])


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_rubbish_gives_an_error(data: bytes) -> None:
    assert consume(data) == -1
    consume(VALID + data)
