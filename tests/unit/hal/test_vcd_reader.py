"""What the reader makes of a legal capture."""

from __future__ import annotations

import io
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from hal.capture.command_text import read_command
from hal.capture.errors import CaptureError
from hal.capture.header import VariableKind
from hal.capture.vcd_reader import VcdReader, capture_header, read_batches
from hal.values import Edge, EdgesLost, Frame, Loss, Rare, Reading

DECLARED = """\
$timescale 1 us $end
$scope module table $end
$var wire 1 ! wheel_a $end
$var wire 1 " wheel_b $end
$var real 64 # level_x $end
$var string 1 $ reader $end
$var string 1 % command $end
$var string 1 & lost $end
$upscope $end
$enddefinitions $end
"""


def read(
    data: str, names: Mapping[str, str] | None = None, header: str = DECLARED, batch_values: int = 8192
) -> tuple[list[Edge], list[Rare], int]:
    """All values of a capture, and its last time."""
    reader = VcdReader(io.BytesIO((header + data).encode()), "test.vcd")
    batches = list(reader.batches(names, batch_values=batch_values))
    edges = [edge for batch in batches for edge in batch.edges]
    rare = [value for batch in batches for value in batch.rare]
    return edges, rare, batches[-1].until_ns


def test_a_first_value_is_the_level_found_and_later_values_are_changes() -> None:
    edges, rare, until_ns = read('#0\n$dumpvars\n0!\n1"\n$end\n#5\n1!\n#9\n')
    assert edges == [Edge("wheel_a", 0, 0), Edge("wheel_b", 1, 0), Edge("wheel_a", 1, 5000)]
    assert all(type(edge) is Edge for edge in edges)
    assert rare == []
    assert until_ns == 9000


@pytest.mark.parametrize("unknown", ["x", "z", "X", "Z"])
def test_a_line_is_not_yet_known_before_its_first_level_and_unplugged_after_it(unknown: str) -> None:
    edges, rare, _ = read(f"#0\n{unknown}!\n#1\n0!\n#2\n{unknown}!\n#3\nz!\n#4\n0!\n")
    assert edges == [Edge("wheel_a", 0, 1000), Edge("wheel_a", 0, 4000)]
    assert rare == [EdgesLost("wheel_a", Loss.UNPLUGGED, 2000)]


def test_a_level_that_is_repeated_is_not_an_edge() -> None:
    edges, rare, _ = read("#0\n0!\n#1\n0!\n#2\n$dumpall\n0!\n$end\n#3\n1!\n")
    assert edges == [Edge("wheel_a", 0, 0), Edge("wheel_a", 1, 3000)]
    assert rare == []


def test_what_happens_while_dumping_is_off_is_lost() -> None:
    edges, rare, _ = read('#0\n0!\n1"\n#1\n$dumpoff\nx!\n$end\n#2\n$dumpon\n0!\n1"\n$end\n')
    assert edges[2:] == [Edge("wheel_a", 0, 2000), Edge("wheel_b", 1, 2000)]
    assert rare == [EdgesLost("wheel_a", Loss.UNPLUGGED, 1000), EdgesLost("wheel_b", Loss.UNPLUGGED, 1000)]


def test_a_real_is_a_reading_and_is_delivered_again_only_as_a_new_sample() -> None:
    _, rare, _ = read("#0\n$dumpvars\nr0.5 #\n$end\n#1\nr-1.5e-1 #\n#2\nr-.15 #\n#3\n$dumpall\nr-0.15 #\n$end\n")
    assert rare == [
        Reading("level_x", 0.5, 0),
        Reading("level_x", -0.15, 1000),
        Reading("level_x", -0.15, 2000),
    ]


def test_strings_are_frames_commands_and_losses_but_never_when_a_dump_repeats_them() -> None:
    _, rare, _ = read(
        "#0\n$dumpvars\ns $\ns %\n$end\n#1\ns*X\\x200\\015\\n\\\\ $\n#2\nsvoid\\x20why=spill %\n"
        "#3\nswheel_a=overflow,3 &\n#4\n$dumpall\nsagain %\n$end\n"
    )
    assert rare == [
        Frame("reader", b"*X 0\r\n\\", 1000),
        read_command("void why=spill", 2000),
        EdgesLost("wheel_a", Loss.OVERFLOW, 3000, 3),
    ]


def test_a_recorded_second_edge_to_the_same_level_comes_back() -> None:
    edges, _, _ = read("#0\n1!\n#1\nswheel_a=again &\n")
    assert edges == [Edge("wheel_a", 1, 0), Edge("wheel_a", 1, 1000)]


@pytest.mark.parametrize(
    ("timescale", "one_unit_ns"),
    [
        ("1 s", 10**9),
        ("10s", 10**10),
        ("100 ms", 10**8),
        ("10 us", 10**4),
        ("1us", 1000),
        ("100 ns", 100),
        ("1 ns", 1),
    ],
)
def test_every_unit_down_to_the_nanosecond_is_exact(timescale: str, one_unit_ns: int) -> None:
    header = DECLARED.replace("1 us", timescale)
    edges, _, until_ns = read("#3\n1!\n#7\n", header=header)
    assert edges == [Edge("wheel_a", 1, 3 * one_unit_ns)]
    assert until_ns == 7 * one_unit_ns


@pytest.mark.parametrize(("timescale", "units_a_ns"), [("100 ps", 10), ("10ps", 100), ("1 ps", 1000), ("1 fs", 10**6)])
def test_finer_units_go_to_the_nearest_nanosecond_and_half_goes_up(timescale: str, units_a_ns: int) -> None:
    header = DECLARED.replace("1 us", timescale)
    half = units_a_ns // 2
    edges, _, _ = read(f"#{half - 1}\n1!\n#{half}\n0!\n#{10**15 * units_a_ns + half - 1}\n1!\n", header=header)
    assert [edge.t_ns for edge in edges] == [0, 1, 10**15]


def test_values_before_the_first_timestamp_are_at_time_zero() -> None:
    assert read("$dumpvars 1! $end #5 0!")[0] == [Edge("wheel_a", 1, 0), Edge("wheel_a", 0, 5000)]


def test_lines_mean_nothing_and_any_white_space_separates() -> None:
    assert read('#0 0! 1" #1\t1!\r\n#2\r\nb0\n!\r\n')[0] == [
        Edge("wheel_a", 0, 0), Edge("wheel_b", 1, 0), Edge("wheel_a", 1, 1000), Edge("wheel_a", 0, 2000),
    ]  # fmt: skip


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read("#0 1!", header="\ufeff" + DECLARED)[0] == [Edge("wheel_a", 1, 0)]


def test_comments_among_the_data_are_passed_over() -> None:
    assert read("#0\n$comment 1! #99 $end\n0!\n")[0] == [Edge("wheel_a", 0, 0)]


def test_a_wire_may_be_written_as_a_vector_of_one_bit() -> None:
    edges, rare, _ = read("#0\nb1 !\n#1\nB0 !\n#2\nbx !\n")
    assert edges == [Edge("wheel_a", 1, 0), Edge("wheel_a", 0, 1000)]
    assert rare == [EdgesLost("wheel_a", Loss.UNPLUGGED, 2000)]


def test_only_wanted_names_are_delivered_and_under_their_line() -> None:
    edges, rare, until_ns = read('#0\n0!\n1"\nr1 #\nshi %\nb1 "\n#4\n1"\n', {"wheel_a": "rotor_a", "nowhere": "pocket"})
    assert edges == [Edge("rotor_a", 0, 0)]
    assert rare == [read_command("hi", 0)]
    assert until_ns == 4000


def test_a_recorded_loss_follows_its_line_to_its_new_name_and_is_dropped_with_it() -> None:
    _, rare, _ = read("#0\nswheel_a=late &\nswheel_b=late &\nschip0=overflow &\n", {"wheel_a": "rotor_a"})
    assert rare == [EdgesLost("rotor_a", Loss.LATE, 0), EdgesLost("chip0", Loss.OVERFLOW, 0)]


SCOPED = """\
$timescale 1 ns $end
$scope module left $end $var wire 1 ! a $end $var wire 8 $ bus [7:0] $end $upscope $end
$scope module right $end $var reg 1 " a $end $var logic 1 # only $end
$scope module deep $end $var wire 1 # alias $end $var wire 1 % bus [3] $end $upscope $end $upscope $end
$var wire 1 & Channel 0 $end
$enddefinitions $end
#0 1! 0" 1# b00000001 $ 0% 1&
"""


def test_names_are_leaves_where_unique_and_dotted_paths_always() -> None:
    names = {"left.a": "l", "right.a": "r", "only": "o", "right.deep.alias": "same", "bus[3]": "bit", "Channel 0": "c"}
    edges, _, _ = read("", names, header=SCOPED)
    assert {edge.line: edge.level for edge in edges} == {"l": 1, "r": 0, "o": 1, "same": 1, "bit": 0, "c": 1}


def test_an_ambiguous_name_is_an_error_only_if_it_is_used() -> None:
    assert read("", {"only": "o"}, header=SCOPED)[0] == [Edge("o", 1, 0)]
    with pytest.raises(CaptureError, match=r"`a` is wanted, and means 2 variables: `left\.a`, `right\.a`") as caught:
        read("", {"a": "l"}, header=SCOPED)
    assert caught.value.line == 3


def test_without_names_an_ambiguous_one_goes_by_its_path() -> None:
    edges, _, _ = read("", header=SCOPED)
    assert {edge.line for edge in edges} == {"left.a", "right.a", "only", "alias", "bus[3]", "Channel 0"}


def test_a_vector_is_ignored_unless_it_is_wanted() -> None:
    with pytest.raises(CaptureError, match=r"line 2: `left\.bus\[7:0\]` is wanted as line `b`, but it is 8 bits wide"):
        read("", {"bus[7:0]": "b"}, header=SCOPED)


def test_two_variables_cannot_be_one_line() -> None:
    with pytest.raises(CaptureError, match="both wanted as line `x`"):
        read("", {"left.a": "x", "right.a": "x"}, header=SCOPED)


def test_the_header_is_known_before_the_data() -> None:
    header = VcdReader(
        io.BytesIO(
            b"$date today $end $version v 1 $end $comment detects_loss=yes $end $comment a table $end\n"
            + DECLARED.encode()
        ),
        "test.vcd",
    ).header
    assert header.date == "today"
    assert header.version == "v 1"
    assert header.comments == ("detects_loss=yes", "a table")
    assert header.metadata == {"detects_loss": "yes"}
    assert [(v.path, v.kind) for v in header.variables][:4] == [
        ("table.wheel_a", VariableKind.WIRE),
        ("table.wheel_b", VariableKind.WIRE),
        ("table.level_x", VariableKind.REAL),
        ("table.reader", VariableKind.STRING),
    ]
    assert header.variables[0].line == 4


def test_batches_end_between_times_and_have_equal_values_however_they_are_cut() -> None:
    data = "".join(f'#{t}\n{t % 2}!\n{t // 2 % 2}"\nr{t} #\n' for t in range(200))
    whole = read(data)
    assert read(data, batch_values=1) == whole
    reader = VcdReader(io.BytesIO((DECLARED + data).encode()), "test.vcd")
    batches = list(reader.batches(batch_values=10))
    assert len(batches) > 20
    for batch, following in pairwise(batches):
        assert len(batch.edges) + len(batch.rare) <= 13
        assert max(batch.edges[-1].t_ns, batch.rare[-1].t_ns) <= batch.until_ns
        assert min(following.edges[0].t_ns, following.rare[0].t_ns) > batch.until_ns


def test_a_batch_never_ends_inside_a_nanosecond() -> None:
    header = DECLARED.replace("1 us", "1 fs")
    reader = VcdReader(io.BytesIO((header + "#1\n0!\n#2\n1!\n#3\n0!\n#9999999\n1!\n").encode()), "test.vcd")
    assert [len(batch.edges) for batch in reader.batches(batch_values=1)] == [3, 1]


def test_a_capture_larger_than_a_chunk_keeps_constructs_whole() -> None:
    frames = [bytes((65 + n % 26,)) * (n % 50) for n in range(6000)]
    data = "".join(f"#{n}\ns{frame.decode()} $\nb{n % 2} !\n" for n, frame in enumerate(frames))
    edges, rare, _ = read(data)
    assert [value.data for value in rare if isinstance(value, Frame)] == frames
    assert len(edges) == 6000


def test_a_capture_without_data_ends_at_time_zero() -> None:
    assert read("") == ([], [], 0)


def test_a_capture_is_read_once() -> None:
    reader = VcdReader(io.BytesIO(DECLARED.encode()), "test.vcd")
    list(reader.batches())
    with pytest.raises(RuntimeError, match="read once"):
        reader.batches()


def test_files_are_read_by_their_path(tmp_path: Path) -> None:
    path = tmp_path / "spin.vcd"
    path.write_text(DECLARED + "#1\n1!\n")
    assert [batch.edges for batch in read_batches(path)] == [[Edge("wheel_a", 1, 1000)]]
    assert len(capture_header(path).variables) == 6
