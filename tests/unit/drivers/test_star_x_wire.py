import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.roulette.star_x_wire import (
    POCKETS,
    BareNumber,
    IgnoredLine,
    MalformedLine,
    StatusPacket,
    WheelFlag,
    WheelState,
    encode,
    encode_bare,
    parse,
)

PACKETS = st.builds(
    StatusPacket,
    st.sampled_from(WheelState),
    st.integers(0, 999),
    st.none() | st.sampled_from(sorted(POCKETS)),
    st.integers(0, 15).map(WheelFlag),
    st.integers(0, 999),
    st.booleans(),
)


def test_a_line_of_a_real_wheel_is_understood() -> None:
    assert parse(b"*X;6;117;13;0;002;0") == StatusPacket(WheelState.CLOSED, 117, "13", WheelFlag(0), 2, True)


@pytest.mark.parametrize(("field", "pocket"), [(b" 0", "0"), (b" 7", "7"), (b"36", "36"), (b"00", "00"), (b"  ", None)])
def test_numbers_are_right_justified(field: bytes, pocket: str | None) -> None:
    line = parse(b"*X;5;117;" + field + b";0;170;1")
    assert isinstance(line, StatusPacket)
    assert line.pocket == pocket


@given(PACKETS)
def test_what_is_encoded_is_parsed_again_and_has_21_bytes(packet: StatusPacket) -> None:
    line = encode(packet)
    assert len(line) == 21
    assert parse(line.removesuffix(b"\r\n")) == packet


@pytest.mark.parametrize("pocket", sorted(POCKETS))
def test_a_bare_number_is_parsed_again(pocket: str) -> None:
    assert parse(encode_bare(pocket)[:2]) == BareNumber(pocket)


@pytest.mark.parametrize("text", ["*P OK", "*P NO", "*o BUSY", "*u OK", "*V 2.50", "*  NO", "*) NO", "*Y;1;003"])
def test_replies_and_bonuses_are_tolerated(text: str) -> None:
    assert parse(text.encode()) == IgnoredLine(text)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "expected"),
        (b"7", "expected"),
        (b"07", "expected"),
        (b"37", "expected"),
        (b"7 ", "expected"),
        (b"*X:2:552:13:0:170:0", "expected *X;s;nnn;ww;f;vvv;d"),
        (b"*X;0;117;13;0;002;0", "expected *X;s;nnn;ww;f;vvv;d"),
        (b"*X;8;117;13;0;002;0", "expected *X;s;nnn;ww;f;vvv;d"),
        (b"*X;6;117;37;0;002;0", "winning number at byte 9"),
        (b"*X;6;117;07;0;002;0", "winning number at byte 9"),
        (b"*X;6;117;7 ;0;002;0", "winning number at byte 9"),
        (b"*X;6;117;13;G;002;0", "expected *X;s;nnn;ww;f;vvv;d"),
        (b"*X;6;117;13;0;002;2", "expected *X;s;nnn;ww;f;vvv;d"),
        (b"*X;6;117;13;0;02;0", "expected 19 bytes, saw 18"),
        (b"*X;6;117;13;0;002;0 ", "expected 19 bytes, saw 20"),
        (b"*X;6;\xb2\xb3\xb9;13;0;002;0", "expected"),
        (b"X;6;117;13;0;002;0", "expected *X, *Y, a reply or a number"),
        (b"*X OK", "expected 19 bytes"),
    ],
)
def test_what_is_not_exactly_a_line_is_malformed_with_a_reason(data: bytes, why: str) -> None:
    line = parse(data)
    assert isinstance(line, MalformedLine)
    assert line.data == data
    assert why in line.why


@given(st.binary(max_size=30))
def test_nothing_makes_the_parser_raise(data: bytes) -> None:
    parse(data)


def test_what_does_not_fit_its_field_is_not_encoded() -> None:
    packet = StatusPacket(WheelState.CLOSED, 117, "13", WheelFlag(0), 2, True)
    for wrong in ({"spin_number": 1000}, {"rpm_x10": 1000}, {"pocket": "37"}):
        with pytest.raises(ValueError, match=r"\*X packet"):
            encode(packet._replace(**wrong))
