from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.mutants import page, sampling
from tests.mutants.__main__ import PAGE, RESULTS, soak_of
from tests.mutants.operators import Mutant, Site, mutants, sites, switched
from tests.mutants.plugin import Verdict
from tests.mutants.running import Folder, MutantsError
from tests.mutants.sampling import Drawn
from tests.mutants.scope import FOLDERS, OTHER_ROOMS, RECORDED, SEED, SIZE, SOAK_OF, TESTS
from tests.soak.source import commit

ROOT = Path(__file__).parents[2]
SOURCE = '''\
LIMIT = 3


def is_over(count: int) -> bool:
    """Counts of 3 are not."""
    return count > LIMIT


def never_called(count: int) -> int:
    return count + 1


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self, more: int | None) -> None:
        if more is not None and not self.is_full():
            self.count += more

    def is_full(self) -> bool:
        return self.count == 200
'''
TEST = """\
from drivers.wheel.small import Counter, is_over


def test_three_is_not_over():
    assert not is_over(3)


def test_a_counter_adds():
    counter = Counter()
    counter.add(2)
    assert counter.count == 2


def test_a_test_that_fails_without_a_mutant_tells_nothing():
    assert is_over(0)
"""
PATH = "drivers/wheel/small.py"


def changes(source: str) -> list[str]:
    return [site.mutant.change for site in sites("x.py", source)[1]]


def planted(function: str, change: str) -> Site:
    (found,) = [one for one in sites(PATH, SOURCE)[1] if (one.mutant.function, one.mutant.change) == (function, change)]
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", ["a < b -> a <= b"]),
        ("x = a is b", ["a is b -> a is not b"]),
        ("x = a < b == c", ["a < b == c -> a <= b == c", "a < b == c -> a < b != c"]),
        ("x = a and b", ["a and b -> a or b"]),
        ("x = not a", ["not a -> a"]),
        ("x = a + b", ["a + b -> a - b"]),
        ("x = f(True, 5, 360, 0.5)", ["True -> False", "5 -> 6", "360 -> 720", "0.5 -> 1.5"]),
        ("x = max(a)", ["max(a) -> min(a)"]),
        ("x += y", ["x += y -> pass", "x += y -> x -= y"]),
        ("self.x = y", ["self.x = y -> pass"]),
        ("f(y)", ["f(y) -> pass"]),
        ("if a:\n    pass", ["a -> not a"]),
        ("x = y if a else z", ["a -> not a"]),
        ("for a in b:\n    continue", ["continue -> break"]),
    ],
)
def test_these_changes_are_made(source: str, expected: list[str]) -> None:
    assert changes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "x = f'{a + 1} of {b < c}'",
        "def f(x: Literal[1] = y) -> A | B: ...",
        "x = isinstance(a, Edge | Frame)",
        "x: Final = int | None",
        "class A(Struct, frozen=True): ...",
        "@decorated(1)\ndef f(): ...",
        "if TYPE_CHECKING:\n    x = 1",
        "x = 'words'",
    ],
)
def test_words_types_and_declarations_are_left_as_they_are(source: str) -> None:
    assert changes(source) == []


def run_with(source: str, number: int | None, call: str) -> tuple[object, list[int]]:
    """What a call gives where one of the source's mutants is on, and the mutants that it reached."""
    reached: list[int] = []

    def is_on(asked: int) -> bool:
        reached.append(asked)
        return asked == number

    module = switched("x.py", source, {n: site.mutant for n, site in enumerate(sites("x.py", source)[1])})
    names: dict[str, object] = {"__mutant__": is_on}
    exec(compile(module, "x.py", "exec"), names)
    reached.clear()
    return eval(call, names), reached


@pytest.mark.parametrize(
    ("source", "change", "before", "after"),
    [
        ("def f(x):\n    return x < 2", "x < 2 -> x <= 2", False, True),
        ("def f(x):\n    return x < 2", "2 -> 3", False, True),
        ("def f(x):\n    x += 1\n    return x", "x += 1 -> pass", 3, 2),
        ("def f(x):\n    x += 1\n    return x", "x += 1 -> x -= 1", 3, 1),
        ("def f(x):\n    if x:\n        return 5\n    return 7", "x -> not x", 5, 7),
        ("def f(x):\n    for i in (1, x):\n        break\n    return i", "break -> continue", 1, 2),
        ("LIMIT = 3\ndef f(x):\n    return LIMIT", "3 -> 4", 3, 4),
        ("def f(x, y=3):\n    return y", "3 -> 4", 3, 4),
        ("class A:\n    limit = 3\n    def get(self):\n        return self.limit\ndef f(x):\n    return A().get()",
         "3 -> 4", 3, 4),
    ],
)  # fmt: skip
def test_one_mutant_is_on_and_each_that_a_call_depends_on_is_reached(
    source: str, change: str, before: object, after: object
) -> None:
    number = changes(source).index(change)
    assert run_with(source, None, "f(2)")[0] == before
    value, reached = run_with(source, number, "f(2)")
    assert value == after
    assert number in reached


def test_a_mutant_that_a_module_does_not_have_is_refused() -> None:
    mutant = planted("Counter.add", "self.count += more -> self.count -= more").mutant
    with pytest.raises(KeyError, match=r"small\.py"):
        switched(PATH, SOURCE.replace("+= more", "+= 1"), {0: mutant})


def test_a_verdict_module_compiles_with_all_of_its_mutants() -> None:
    path = "drivers/dice/shake_line.py"
    source = (ROOT / path).read_text()
    numbered = {number: site.mutant for number, site in enumerate(sites(path, source)[1])}
    assert numbered
    compile(switched(path, source, numbered), path, "exec", dont_inherit=True)


def test_equal_changes_of_a_function_are_told_apart() -> None:
    found = sites("x.py", "def f():\n    a = 1\n    a = 1\n")[1]
    assert [site.mutant.nth for site in found] == [0, 1]
    assert len({site.mutant for site in found}) == 2


def test_the_sample_is_drawn_by_its_seed_and_keeps_its_reasons() -> None:
    every = sites(PATH, SOURCE)[1]
    drawn = sampling.draw(every, 5, 1)
    assert drawn == sampling.draw(every, 5, 1) != sampling.draw(every, 5, 2)
    explained = [replace(drawn[3], survives="nobody calls it"), Drawn(PATH, "", "x = 1", "1 -> 2", 0, "gone")]
    assert sampling.draw(every, 5, 1, explained) == [*drawn[:3], explained[0], drawn[4]]
    sample = sampling.read()
    assert len(sample) == len({one.mutant for one in sample}) == SIZE
    assert sum(bool(one.equivalent) for one in sample) <= SIZE * 0.05


def test_the_page_is_that_of_the_results_and_of_the_sample_and_each_row_names_its_commit() -> None:
    sample, found = sampling.read(), page.read(RESULTS)
    assert PAGE.read_text(encoding="utf-8") == page.text(sample, found), "run: python -m tests.mutants --page"
    known = [(drawn, row) for drawn, row in zip(sample, found, strict=True) if row.kind != page.NOT_TRIED]
    assert [row.mutant for drawn, row in known if not re.fullmatch("[0-9a-f]{40}", row.commit)] == []
    # A mutant whose code was gone when it was tried has another in its place; such a row is of its commit alone.
    assert [row.mutant for drawn, row in known if row.mutant.path != drawn.path] == []
    assert [row.mutant for drawn, row in known if row.is_killed and (drawn.equivalent or drawn.survives)] == []
    assert [row.mutant for drawn, row in known if not (row.is_killed or drawn.equivalent or drawn.survives)] == []
    killed = [row.is_killed for drawn, row in known if not drawn.equivalent]
    assert sum(killed) >= 0.85 * len(killed)


def test_a_result_replaces_what_was_kept_of_its_mutant_and_the_table_says_what_is_known() -> None:
    one, other, third = (site.mutant for site in sites(PATH, SOURCE)[1][:3])
    kept = [page.Row(one, "killed", "tests/a.py::test_a", 3, "a" * 40), page.Row(other, "survived", "", 4, "a" * 40)]
    here = Verdict(1, "survived", "", 5, "b" * 40)
    found = page.rows([one, other, third], {1: here}, {1: ("tiny", Verdict(1, "killed", "tests/b.py::test_b"))}, kept)
    soak = page.Row(other, "survived", "", 5, "b" * 40, "tiny", "tests/b.py::test_b")
    assert found == [kept[0], soak, page.Row(third)]
    sample = [Drawn(*mutant) for mutant in (one, other, third)]
    sample[1] = replace(sample[1], survives="Its limit is never reached.")
    written = page.text(sample, found)
    assert "**1 of 2 were killed: 50.0%.**" in written
    assert "1 were not tried" in written
    assert "Of the others: killed by a part of a soak alone: 1" in written
    assert "| killed by `tests/a.py::test_a` | `aaaaaaaaaa` |" in written
    assert (
        "| **survives** 5 tests; killed by a part of `tiny`: `tests/b.py::test_b`; Its limit is never reached. "
        "| `bbbbbbbbbb` |"
    ) in written
    assert "| not tried |  |" in written
    assert re.findall(r"^\| (\d+) \|", written, re.MULTILINE) == ["1", "2", "0"], "survivors are first"
    known = {"unreached": "no test reaches it", "time": "never ends", "undecided": "cheapest", "crashed": "ended"}
    for kind, words in known.items():
        assert words in page.text(sample[:1], [page.Row(one, kind, "SIGSEGV", 5, "a" * 40)]).partition("| 0 |")[2]


def test_each_module_has_a_soak_for_its_survivors() -> None:
    assert {soak_of(drawn.path).name for drawn in sampling.read()} == set(SOAK_OF.values())


def test_what_is_to_be_changed_and_the_tests_of_it_are_there() -> None:
    assert [path for path in (*FOLDERS, *RECORDED, *TESTS, *OTHER_ROOMS) if not (ROOT / path).exists()] == []


def found_in(path: str, source: str, mutant: Mutant) -> tuple[str, str, str] | None:
    found = sampling.Places(sites(path, source)[1]).find_again(mutant)
    return None if found is None else (found[0], found[1].mutant.path, found[1].mutant.function)


def test_a_mutant_is_found_again_where_its_code_moved() -> None:
    mutant = planted("Counter.is_full", "self.count == 200 -> self.count != 200").mutant
    renamed = SOURCE.replace("class Counter", "class Tally")
    assert found_in(PATH, SOURCE, mutant) == ("here", PATH, "Counter.is_full")
    assert found_in(PATH, renamed, mutant) == ("in its file", PATH, "Tally.is_full")
    assert found_in("moved.py", renamed, mutant) == ("moved", "moved.py", "Tally.is_full")
    other = renamed.replace("is_full", "is_at_end")
    assert found_in("moved.py", other, mutant) == ("in another function", "moved.py", "Tally.is_at_end")
    part = other.replace("self.count == 200", "self.tally.count == 200")
    assert found_in("moved.py", part, mutant) == ("asked of another elsewhere", "moved.py", "Tally.is_at_end")
    assert found_in(PATH, SOURCE.replace("200", "300"), mutant) is None


def test_in_the_place_of_a_mutant_whose_code_is_gone_another_is_drawn_by_the_seed() -> None:
    every = sites(PATH, SOURCE)[1]
    taken = [site.mutant for site in every[:-2]]
    assert sampling.replacement(3, SEED, every, taken) == sampling.replacement(3, SEED, every, taken)
    assert sampling.replacement(3, SEED, every, taken).mutant not in taken


@pytest.mark.long
def test_the_tests_that_reach_a_mutant_run_until_one_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        PATH: SOURCE,
        "drivers/__init__.py": "",
        "drivers/wheel/__init__.py": "",
        "tests/unit/test_small.py": TEST,
        "conftest.py": (ROOT / "tests/conftest.py").read_text(),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    wanted = [
        ("is_over", "count > LIMIT -> count >= LIMIT"),
        ("Counter.add", "self.count += more -> pass"),
        ("Counter.is_full", "200 -> 400"),
        ("never_called", "1 -> 2"),
        ("", "3 -> 4"),
        ("Counter.add", "more is not None and (not self.is_full()) -> not (more is not None and (not self.is_full()))"),
    ]
    found = [planted(*one) for one in wanted]
    folder = Folder(tmp_path / "state")
    folder.write_plan({number: site.mutant for number, site in enumerate(found)})
    folder.record(tmp_path, ["tests/unit"], ["tests/unit/nowhere"], jobs=1)
    file = "tests/unit/test_small.py::test_"
    assert [one.test for one in folder.reached() if not one.passed] == [
        f"{file}a_test_that_fails_without_a_mutant_tells_nothing"
    ]
    recorded = folder.reached()
    folder.record(tmp_path, ["tests/unit"], ["tests/unit/nowhere"], jobs=1)
    assert folder.reached() == recorded  # what is recorded is not repeated
    trials = [trial for trial in folder.trials(range(len(found)), 60.0) if trial.tests]
    assert [trial.number for trial in trials] == [0, 1, 2, 4, 5]
    folder.note_unreached([3])
    folder.attempt(tmp_path, [trial for trial in trials if found[trial.number].in_function])
    folder.attempt(tmp_path, [trial for trial in trials if trial.number == 4], on=4)
    verdicts = folder.verdicts()
    assert verdicts[0] == Verdict(0, "killed", f"{file}three_is_not_over", 1, commit(), found[0].mutant)
    assert verdicts[1] == Verdict(1, "killed", f"{file}a_counter_adds", 1, commit(), found[1].mutant)
    assert verdicts[2] == Verdict(2, "survived", "", 1, commit(), found[2].mutant)
    assert verdicts[3] == Verdict(3, "unreached", "", 0, commit(), found[3].mutant)
    assert verdicts[4] == Verdict(4, "survived", "", 2, commit(), found[4].mutant)
    assert verdicts[5].is_killed
    (tmp_path / PATH).write_text(SOURCE.replace("LIMIT = 3", "LIMIT = 2"))
    with pytest.raises(MutantsError, match="the code has changed since the mutants were planned"):
        folder.attempt(tmp_path, [trial for trial in trials if trial.number == 4], on=4)


def test_a_mutant_that_not_all_of_its_tests_were_tried_on_is_undecided(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    mutant = sites(PATH, SOURCE)[1][0].mutant
    folder.write_plan({7: mutant})
    rows = [("slow", 5.0), ("quick", 0.1), ("middle", 1.0)]
    lines = [b'{"test":"%s","cost_s":%f,"passed":true,"mutants":[7]}\n' % (name.encode(), cost) for name, cost in rows]
    (tmp_path / "reached.0.jsonl").write_bytes(b"".join(lines))
    (few,) = folder.trials([7], 2.0)
    assert (few.tests, few.is_whole) == (["quick", "middle"], False)
    (whole,) = folder.trials([7], 10.0)
    assert (whole.tests, whole.is_whole) == (["quick", "middle", "slow"], True)
    assert folder.open([7]) == [7]
    survived = msgspec.json.encode(Verdict(7, "survived", tests=3, mutant=mutant)) + b"\n"
    (tmp_path / "0.verdicts").write_bytes(survived)
    assert folder.open([7]) == []
    (tmp_path / "reached.1.jsonl").write_bytes(lines[0].replace(b"slow", b"added since"))
    assert folder.open([7]) == [7]
    (tmp_path / "0.verdicts").unlink()
    killed, undecided = Verdict(7, "killed", "slow", mutant=mutant), Verdict(7, "undecided", mutant=mutant)
    (tmp_path / "1.verdicts").write_bytes(msgspec.json.encode(killed) + b"\n")
    (tmp_path / "2.verdicts").write_bytes(msgspec.json.encode(undecided) + b"\n")
    assert folder.verdicts() == {7: killed}
    folder.write_plan({7: mutant._replace(nth=1)})
    assert folder.verdicts() == {}  # it was another mutant


def test_mutants_of_a_tree_are_in_the_order_of_paths_and_text(tmp_path: Path) -> None:
    for name in ("b/x.py", "a.py", "b/a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\ny = 2\n")
    found = [(site.mutant.path, site.mutant.change) for site in mutants(tmp_path, ["b", "a.py"])]
    assert found == [(name, change) for name in ("a.py", "b/a.py", "b/x.py") for change in ("1 -> 2", "2 -> 3")]
