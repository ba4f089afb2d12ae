"""The guard of costs sees a loss of 10 % in each hot path, and nothing where nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.costs import __main__ as command
from tests.costs import measuring
from tests.costs.counting import Cost
from tests.costs.figures import VERSION, Kept, differences, figures_of, read, renewed, write
from tests.costs.scripts import SCRIPTS
from tests.shares import first_of

QUICK = ["decoding", "roulette", "commit", "board", "delivery-1"]
"""A hot method of each layer: driver, table, journal, scoreboard, gateway."""
COST = Cost(instructions=1000, calls=100, peak_bytes=100_000, kept_blocks=2000)
KEPT = {name: Kept(figure, "first kept") for name, figure in figures_of({"wheel": COST}).items()}


@pytest.mark.long
@pytest.mark.parametrize("names", first_of(1, [QUICK, [name for name in SCRIPTS if name not in QUICK]]), ids=len)
def test_a_loss_of_a_tenth_in_each_hot_path_is_caught_and_nothing_where_there_is_none(
    names: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measuring.losses(names)
    assert list(found) == names
    for name, cost in found.items():
        plain = COST._replace(instructions=cost.instructions, calls=cost.calls)
        versions = {VERSION: {key: Kept(figure, "") for key, figure in figures_of({name: plain}).items()}}

        def status(now: Cost, name: str = name, kept: dict[str, dict[str, Kept]] = versions) -> int:
            return run({name: now}, kept, monkeypatch)

        assert status(plain) == 0
        capsys.readouterr()
        for what, worse in (("instructions", cost.tenth_instructions), ("calls", cost.tenth_calls)):
            assert status(plain._replace(**{what: worse})) == 1
            said = capsys.readouterr().out
            assert f"WORSE: {name}.{what}: {getattr(plain, what):,} is kept, {worse:,} counted (+" in said
            assert "Remove the loss; or, if it is worth it, keep it with its reason: " in said
            assert 'python -m tests.costs --renew "REASON", and commit figures.toml with the change' in said


@pytest.mark.long
def test_figures_are_equal_in_another_process_and_another_order() -> None:
    names = ["merge", "rest", "statistics"]
    one, other = measuring.costs(names), measuring.costs(names[::-1])
    assert [cost[:2] for cost in one.values()] == [other[name][:2] for name in one]
    assert differences({key: Kept(figure, "") for key, figure in figures_of(one).items()}, other) == []


@pytest.mark.parametrize("what", Cost._fields)
def test_each_figure_is_held_to_the_tolerance_both_ways(what: str) -> None:
    figure = getattr(COST, what)
    assert differences(KEPT, {"wheel": COST._replace(**{what: figure + figure // 20})}) == []
    (worse,) = differences(KEPT, {"wheel": COST._replace(**{what: figure + figure // 10})})
    assert str(worse) == f"wheel.{what}: {figure:,} is kept, {figure + figure // 10:,} counted (+10.0%)"
    (better,) = differences(KEPT, {"wheel": COST._replace(**{what: figure - figure // 10})})
    assert (worse.is_better, better.is_better) == (False, True)


def test_a_figure_without_a_script_and_a_script_without_figures_are_named() -> None:
    assert {str(one) for one in differences({"old.calls": Kept(3, "")}, {"wheel": COST})} >= {
        "old.calls: 3 is kept, and no script counts it",
        "wheel.calls: 100, and no figure is kept",
    }


def test_renewing_writes_what_differs_and_leaves_other_lines(tmp_path: Path) -> None:
    now = {"wheel": COST._replace(instructions=1200, calls=102)}
    path = tmp_path / "figures.toml"
    write({"3.11": renewed(KEPT, now, differences(KEPT, now), 'a second index: "two"')}, path)
    again = read(path)["3.11"]
    assert again["wheel.instructions"] == Kept(1200, 'a second index: "two"')
    assert again["wheel.calls"] == KEPT["wheel.calls"]


@pytest.mark.parametrize(
    "line", ["a.calls = 3", 'a.calls = { figure = 3, reason = " " }', 'a.calls = { figure = "3", reason = "x" }']
)
def test_a_line_without_figure_or_reason_is_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "figures.toml"
    path.write_text(f'["3.11"]\n{line}\n')
    with pytest.raises(ValueError, match=r"figures.toml: 3.11.a.calls: expected \{ figure = 123"):
        read(path)


def run(
    found: dict[str, Cost], kept: dict[str, dict[str, Kept]], monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> int:
    monkeypatch.setattr(command, "counted", lambda: found)
    monkeypatch.setattr(command, "read", lambda: kept)
    return command.main(list(arguments))


@pytest.mark.parametrize(
    ("instructions", "status", "said"),
    [
        (1000, 0, "all figures of 1 scripts are within 5%"),
        (1100, 1, "WORSE: wheel.instructions: 1,000 is kept, 1,100 counted (+10.0%)"),
        (900, 0, "1 figures are over 5% better; keep the gain: python -m tests.costs --renew"),
    ],
)
def test_the_command_fails_where_a_figure_is_worse(
    instructions: int, status: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run({"wheel": COST._replace(instructions=instructions)}, {VERSION: KEPT}, monkeypatch) == status
    assert said in capsys.readouterr().out


def test_a_python_without_figures_is_named_and_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run({}, {"2.7": KEPT}, monkeypatch) == 0
    expected = f"no figures are kept for Python {VERSION} (but for 2.7): nothing is compared"
    assert expected in capsys.readouterr().out


def test_an_empty_reason_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        run({"wheel": COST}, {VERSION: KEPT}, monkeypatch, "--renew", " ")
