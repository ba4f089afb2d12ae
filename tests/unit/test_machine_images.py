"""What a machine boots from, where it is not there: the message states what is missing, and what to do."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.vm import images
from tests.vm.__main__ import ALL, chosen
from tests.vm.machine import memory_folder


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


def test_a_machines_memory_is_where_it_has_room_and_programs_may_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert memory_folder("1M", tmp_path) == str(tmp_path)
    assert memory_folder("999999999M", tmp_path) == tempfile.gettempdir()
    assert memory_folder("1M", tmp_path / "none") == tempfile.gettempdir()
    room = os.statvfs(tmp_path)

    class RunsNothing:
        f_flag = os.ST_NOEXEC
        f_frsize, f_blocks, f_bfree, f_bavail = room.f_frsize, room.f_blocks, room.f_bfree, room.f_bavail

    monkeypatch.setattr(os, "statvfs", lambda folder: RunsNothing)
    assert memory_folder("1M", tmp_path) == tempfile.gettempdir()


def test_a_scenario_is_named_for_one_system_or_for_each_that_has_it() -> None:
    assert chosen([]) == list(ALL)
    assert chosen(["life", "overflow@trixie"]) == ["life@trixie", "life@bookworm", "overflow@trixie"]
    with pytest.raises(ValueError, match="life@sid: no such scenario; there are power-cuts@trixie, "):
        chosen(["life@sid"])
