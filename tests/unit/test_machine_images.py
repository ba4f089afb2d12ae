"""What a machine boots from, where it is not there: the message states what is missing, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vm import images


def test_a_missing_kernel_is_never_built_for_the_share_of_the_checks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(images, "KERNEL", tmp_path / "linux-uml")
    monkeypatch.setattr(images, "PACKED_KERNEL", tmp_path / "gpio-vm" / "linux-uml.xz")
    with pytest.raises(images.ImageError, match=r"linux-uml\.xz .*FELTWIRE_SHARED=.*`sudo make vm-test VM=busy-rates`"):
        images.kernel_without_building()


def test_missing_captures_are_named_with_the_setting_that_names_their_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(images, "SHARED", tmp_path)
    with pytest.raises(images.ImageError, match=r"captures: .*FELTWIRE_SHARED="):
        images.captures()
