"""How what is missing is installed: a command that works in a checkout, and words that are true of the package."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from hal.install_words import BROUGHT, ROOT, how_to_install, how_to_pip, how_to_start


@pytest.mark.parametrize("what", ["fleet", "mqtt", "pi", "statistics", "venue"])
def test_in_a_checkout_the_command_names_this_python_and_a_file_that_is_there(
    what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for here in (ROOT, tmp_path):
        monkeypatch.chdir(here)
        python, _, _, _, hashes, _, lock = shlex.split(how_to_install(what).removeprefix("install it with: "))
        assert (hashes, Path(lock).resolve()) == ("--require-hashes", ROOT / "requirements" / f"{what}.lock")
        assert Path(python).absolute() == Path(sys.executable).absolute()


def test_the_package_names_its_own_pip_and_no_lock_that_it_does_not_have(tmp_path: Path) -> None:
    for what in BROUGHT:
        assert how_to_install(what, tmp_path).endswith("sudo apt install --reinstall ./feltwire_*.deb")
    words = how_to_install("statistics", tmp_path)
    assert words.startswith("the Debian package does not bring it. In a checkout of this version")
    assert how_to_pip("pigpio", tmp_path) == "install it with: sudo feltwire-pip install pigpio"
    assert how_to_start("a b.toml", tmp_path) == "sudo systemctl start feltwire"
    assert how_to_start("a b.toml").endswith("/feltwire run 'a b.toml'")


def test_what_the_package_is_said_to_bring_is_locked_for_it() -> None:
    brought = (ROOT / "requirements" / "package.lock").read_text(encoding="utf-8")
    assert all(f"\n{name}==" in f"\n{brought}" for name in ("nats-py", "gpiod", "gpiozero", "lgpio"))
    assert "duckdb" not in brought
