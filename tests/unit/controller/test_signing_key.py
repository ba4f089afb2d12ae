"""The key that seals the journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.signing import SigningKeyError, create, load, load_or_create, public_half


def test_a_key_is_made_once_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "state" / "signing.key"
    made = load_or_create(path)
    assert load_or_create(path) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(public_half(made)) == 64


def test_a_key_is_not_overwritten_by_accident(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    made = create(path)
    with pytest.raises(SigningKeyError, match=r"signing key .*signing\.key: there is such a file already"):
        create(path)
    assert load(path) == made


@pytest.mark.parametrize("content", ["", "00", "g" * 64, "0" * 63, "0" * 66, "ä" * 64])
def test_what_is_no_key_is_named_and_not_shown(tmp_path: Path, content: str) -> None:
    path = tmp_path / "signing.key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(SigningKeyError, match="it must be 64 hexadecimal digits; put the right file back") as caught:
        load_or_create(path)
    # The number of a temporary folder may have the same digits.
    assert not content or content not in str(caught.value).replace(str(path), "")


def test_a_key_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    create(path)
    path.chmod(0o644)
    with pytest.raises(SigningKeyError, match=r"others may read or change this secret \(mode 0644\)"):
        load_or_create(path)


def test_a_link_that_leads_nowhere_is_not_taken_for_no_key(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    path.symlink_to(tmp_path / "gone")
    with pytest.raises(SigningKeyError, match="there is no such file"):
        load_or_create(path)
