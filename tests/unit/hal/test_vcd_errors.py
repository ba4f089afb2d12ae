"""A wrong capture gets its line number and its cause."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from hal.capture.errors import CaptureError
from hal.capture.vcd_reader import VcdReader, open_capture

HEADER = """\
$timescale 1 us $end
$scope module table $end
$var wire 1 ! wheel_a $end
$var real 64 # level_x $end
$var string 1 $ reader $end
$var string 1 & lost $end
$var string 1 ' command $end
$var wire 8 ( bus $end
$upscope $end
$enddefinitions $end
"""
FIRST = HEADER.count("\n") + 1
"""The line after the header."""


def failure(data: bytes) -> CaptureError:
    """The error that reading `data` gives."""
    with pytest.raises(CaptureError) as caught:
        list(VcdReader(io.BytesIO(data), "bad.vcd").batches())
    assert caught.value.path == "bad.vcd"
    assert caught.value.fix
    return caught.value


@pytest.mark.parametrize(
    ("data", "line", "cause"),
    [
        ("#5\n1!\n#4\n", 2, "time goes back from 5 to 4"),
        ("#57\n1!\n#5", 2, "the file ends in the middle of a line, at the time 5 after 57"),
        ("#5\n1?\n", 1, "no variable was declared with the id `?`"),
        ("#5\n\n\nr1 ?\n", 3, "no variable was declared with the id `?`"),
        ("#5\n2!\n", 1, "expected a timestamp or a change such as `1!`, saw `2!`"),
        ("#5\nb2 !\n", 1, "expected bits of 0, 1, x and z, saw `b2`"),
        ("#5\nb01 !\n", 1, "a value of `wheel_a`, which is a wire of one bit"),
        ("#5\nrnan #\n", 1, "expected a finite number for `level_x`, saw `rnan`"),
        ("#5\nrinf #\n", 1, "expected a finite number"),
        ("#5\nr1e999 #\n", 1, "expected a finite number"),
        ("#5\nr1_0 #\n", 1, "expected a finite number"),
        ("#5\nr #\n", 1, "expected a finite number"),
        ("#5\nr1 !\n", 1, "expected a value of `wheel_a`, which is a wire"),
        ("#5\n1#\n", 1, "expected a value of a real variable"),
        ("#5\nsA !\n", 1, "expected a value of `wheel_a`, which is a wire"),
        ("#5\nsA\\q $\n", 1, r"`\q` is not an escape"),
        ("#5\nsA\\ $\n", 1, "is not an escape"),
        ("#5\ns\\xff '\n", 1, "can't decode"),
        ("#5\nswheel_a &\n", 1, "expected `line=cause`"),
        ("#5\nswheel_a=gone &\n", 1, "the cause should be one of overflow,"),
        ("#5\nswheel_a=late,x &\n", 1, "the count should be a whole number"),
        ("#5\nswheel_a=again &\n", 1, "has no level that it could take again"),
        ("#\n", 0, "expected a timestamp, `#` and digits, saw `#`"),
        ("#-5\n", 0, "expected a timestamp"),
        ("#1_000\n", 0, "expected a timestamp"),
        ("#1.5\n", 0, "expected a timestamp"),
        ("#9223372036854776\n", 0, "is past the limit"),
        (f"#{'9' * 5000}\n", 0, "is past the limit"),
        ("#5\n$dumpvars\n1!\n", 2, "the file ends where the `$end` of `$dumpvars` should follow"),
        ("#5\n$dumpvars\n$dumpall\n", 2, "`$dumpall` has no place here inside `$dumpvars`"),
        ("#5\n$end\n", 1, "`$end` has no place here"),
        ("#5\n$var wire 1 ) late $end\n", 1, "`$var` has no place here"),
        ("#5\n$comment no end\n", 1, "the file ends where the `$end` of `$comment` should follow"),
        ("#5\nr1.5", 1, "the file ends where the id of the variable that takes `r1.5` should follow"),
        (f"#5\n$comment {'x' * 20000} $end\n", 1, "a word of 20000 bytes, where at most 16384 are read"),
        (f"#5\ns{'x' * 20000} $\n", 1, "a value of 20001 bytes, at most 16384 are read"),
        (f"#5\nsx {'x' * 20000}\n", 1, "a word of 20000 bytes"),
        (f"#5\n1{'x' * 20000}\n", 1, "no variable was declared with the id `xxx"),
        ("#5\n\x00\x01\x02\n", 1, r"saw `\x00\x01\x02`"),
    ],
)
def test_wrong_data_is_reported_with_its_line_and_cause(data: str, line: int, cause: str) -> None:
    error = failure((HEADER + data).encode("latin-1"))
    assert cause in error.cause
    assert error.line == FIRST + line
    assert str(error).startswith(f"bad.vcd, line {FIRST + line}: ")


@pytest.mark.parametrize(
    ("header", "line", "cause"),
    [
        ("", 1, "the file is empty"),
        ("  \n\n", 1, "the file is empty"),
        ("$timescale 1 us $end\n$var wire 1 ! a $end\n", 2, "the file ends where `$enddefinitions` should follow"),
        ("$timescale 1 us $end\n$var wire 1 !", 2, "the file ends where the `$end` of `$var` should follow"),
        ("$timescale 1 us $end\n#0\n", 2, "data begins with `#0` before `$enddefinitions`"),
        ("$timescale 1 us $end\n$dumpvars\n", 2, "data begins with `$dumpvars`"),
        ("$enddefinitions $end\n", 1, "the header has no `$timescale`"),
        ("\n$timescale 5 us $end\n", 2, "bad timescale: expected 1, 10 or 100 of s, ms, us, ns, ps or fs, saw `5 us`"),
        ("$timescale 1 min $end\n", 1, "bad timescale"),
        ("$timescale $end\n", 1, "bad timescale"),
        ("$timescale 1 us $end\n$timescale 1 us $end\n", 2, "a second `$timescale`"),
        ("$upscope $end\n", 1, "`$upscope` without a scope"),
        ("$scope module $end\n", 1, "expected `$scope`, a type, a name"),
        ("$scope module a $end\n" * 40, 33, "more than 32 scopes inside each other"),
        ("$var wire 1 $end\n", 1, "expected `$var`, type, width, id, name"),
        ("$var wyre 1 ! a $end\n", 1, "`wyre` is not a type of variable"),
        ("$var wire one ! a $end\n", 1, "expected the width in bits, saw `one`"),
        (f"$var wire {'1' * 5000} ! a $end\n", 1, "expected the width in bits"),
        (f"$var wire 1 {'!' * 33} a $end\n", 1, "is not an id"),
        (f"$var wire 1 ! {'a' * 300} $end\n", 1, "expected a name of 1 to 256 bytes"),
        ("$var wire 1 ! a $end\n$var real 64 ! b $end\n", 2, "belongs to a variable of another type or width"),
        ("PK\x03\x04\x00\x00", 1, r"saw `PK\x03\x04\x00\x00`"),
        ("$hello $end\n", 1, "expected a section of a VCD header such as `$var`, saw `$hello`"),
        ("$comment " + "word " * 300_000, 1, "the header is longer than 1048576 bytes"),
        ("".join(f"$var wire 1 i{n} a{n} $end\n" for n in range(5000)), 4097, "more than 4096 variables"),
    ],
)
def test_a_wrong_header_is_reported_with_its_line_and_cause(header: str, line: int, cause: str) -> None:
    error = failure(header.encode("latin-1"))
    assert cause in error.cause
    assert error.line == line


class EndlessDigits(io.RawIOBase):
    """A file whose only line has ten million digits, and a tally of how many were read."""

    def __init__(self, head: bytes) -> None:
        self.head = head
        self.served = 0

    def read(self, size: int = -1) -> bytes:
        self.served += size
        head, self.head = self.head[:size], self.head[size:]
        return (head + b"9" * size)[:size] if self.served < 10_000_000 else b""


@pytest.mark.parametrize("start", ["#", "", "r", "s", "b", "1", "$"])
def test_a_line_of_ten_million_digits_is_refused_after_two_chunks(start: str) -> None:
    stream = EndlessDigits(HEADER.encode() + b"#5\n" + start.encode())
    with pytest.raises(CaptureError, match="a word of more than") as caught:
        list(VcdReader(cast(BinaryIO, stream), "bad.vcd").batches())
    assert caught.value.line == FIRST + 1
    assert stream.served <= 2 * 65536


@pytest.mark.long
def test_a_million_values_at_one_time_are_refused() -> None:
    data = HEADER.encode() + b"#5\n" + b"1!\n0!\n" * 600_000
    assert "more than 1000000 values at the time 5" in failure(data).cause


def test_a_real_that_is_not_selected_may_have_any_legal_form() -> None:
    reader = VcdReader(io.BytesIO((HEADER + "#5\nb10xz (\n1(\n").encode()), "good.vcd")
    assert [batch.edges for batch in reader.batches({"wheel_a": "wheel_a"})] == [[]]


def test_an_ambiguous_command_is_never_guessed() -> None:
    again = HEADER.replace("$upscope", "$scope module b $end $var string 1 * command $end $upscope $end $upscope")
    assert "`command` is wanted, and means 2 variables" in failure(again.encode()).cause


def test_a_file_that_is_not_there_is_a_wrong_capture_too(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cannot be opened: No such file") as caught, open_capture(tmp_path / "none"):
        pass
    assert caught.value.line is None
    with pytest.raises(CaptureError), open_capture(tmp_path):
        pass


def test_values_before_an_error_were_delivered_in_full_batches() -> None:
    data = HEADER + "".join(f"#{t}\n{t % 2}!\n" for t in range(100)) + "#1\n"
    batches = VcdReader(io.BytesIO(data.encode()), "bad.vcd").batches(batch_values=10)
    count = 0
    with pytest.raises(CaptureError, match="time goes back from 99 to 1"):
        for batch in batches:
            count += len(batch.edges)
    assert count == 90


def test_a_line_number_is_right_far_into_a_file() -> None:
    good = "".join(f"#{t}\n$comment\n\n $end {t % 2}!\n" for t in range(30_000))
    error = failure((HEADER + good + "#40000 1!\n\n  1? 0!\n").encode())
    assert error.line == FIRST + good.count("\n") + 2
    error = failure((HEADER + good + "\n" * 200_000 + "#1").encode())
    assert error.line == FIRST + good.count("\n") + 200_000


class EndlessCapture(io.RawIOBase):
    """A good capture without an end, and a tally of how much of it was read."""

    def __init__(self) -> None:
        self.served = 0
        self.t = 0
        self.text = HEADER.encode()

    def read(self, size: int = -1) -> bytes:
        while len(self.text) < size:
            self.t += 1
            self.text += b"#%d\n%d!\n" % (self.t, self.t % 2)
        data, self.text = self.text[:size], self.text[size:]
        self.served += size
        return data


def test_a_capture_is_read_only_as_far_as_it_is_used() -> None:
    stream = EndlessCapture()
    batches = VcdReader(cast(BinaryIO, stream), "endless.vcd").batches(batch_values=100)
    first, second = next(batches), next(batches)
    assert len(first.edges) == len(second.edges) == 100
    assert stream.served <= 2 * 65536
