"""`feltwire send`: what is reported before anything is sent."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from controller.cli.send import command


def test_where_nothing_listens_it_says_so_at_once_and_sends_nothing(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [f"ipc://{tmp_path}", "status"])
    assert result.exit_code == 1
    assert "nothing was sent" in result.output
    assert "feltwire run" in result.output


def test_a_socket_left_by_a_dead_service_is_nobody(tmp_path: Path) -> None:
    (tmp_path / "commands").touch()
    result = CliRunner().invoke(command, [f"ipc://{tmp_path}", "status"])
    assert result.exit_code == 1
    assert "nothing was sent" in result.output


def test_two_different_tables_are_refused_rather_than_one_chosen(tmp_path: Path) -> None:
    words = [f"ipc://{tmp_path}", "settle", "table=roulette-1", "--table", "roulette-2"]
    result = CliRunner().invoke(command, words)
    assert result.exit_code == 2
    assert "table=roulette-1 and --table roulette-2 differ" in result.output
