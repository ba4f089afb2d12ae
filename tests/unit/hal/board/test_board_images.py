"""The image of a board, known by its whole hash: a table that was approved with one takes no other."""

from __future__ import annotations

import msgspec
import pytest

from hal.board.identity import ExpectedBoard, image_hash, refusal
from hal.board.messages import KINDS, IdentityAnswer
from tests.fakes.model_board import ModelBoard

REST = bytes(range(28))
IMAGE = bytes.fromhex("1A2B3C4D") + REST
BOARD = ModelBoard(KINDS["reel"], build=0x1A2B3C4D, image=REST).identity
OLDER = msgspec.structs.replace(BOARD, protocol=2, image=bytes(28))


def against(image: bytes, board: IdentityAnswer) -> str | None:
    return refusal(ExpectedBoard(KINDS["reel"], image=image), board)


@pytest.mark.parametrize("image", [IMAGE, IMAGE[:4]])
def test_a_board_with_the_image_that_is_wanted_is_taken(image: bytes) -> None:
    assert image_hash(BOARD) == IMAGE
    assert against(image, BOARD) is None


def test_an_image_that_differs_in_its_last_bit_is_refused_with_both_hashes() -> None:
    wanted = IMAGE[:-1] + bytes((IMAGE[-1] ^ 1,))
    refused = str(against(wanted, BOARD))
    assert f"expected build {wanted.hex().upper()}, found build {IMAGE.hex().upper()};" in refused
    assert "feltwire boards flash reel" in refused


def test_another_number_is_named_by_its_digits_alone() -> None:
    assert "expected build 00C0FFEE, found build 1A2B3C4D;" in str(against(bytes.fromhex("00C0FFEE") + REST, BOARD))


def test_a_board_from_before_protocol_3_is_known_by_its_number_alone() -> None:
    assert image_hash(OLDER) == IMAGE[:4]
    assert against(IMAGE[:4], OLDER) is None
    refused = str(against(IMAGE, OLDER))
    assert (
        f"expected build {IMAGE.hex().upper()}, found build 1A2B3C4D and no more of its hash: its protocol is 2"
        in refused
    )


def test_an_identity_of_protocol_2_is_read() -> None:
    assert IdentityAnswer.unpack(OLDER.pack()[:29]) == OLDER
