"""A package of somebody else: it plays where a table's file names it, and nowhere else."""

from __future__ import annotations

import py_compile
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest

from controller.bench.simulation import Score, simulate
from controller.certification.certificate import made_now, model_differences
from controller.configuration.values import TableConfig
from controller.games import outside
from controller.games.load import check, check_text
from controller.packages.installed import files_of, installed
from controller.rules import profile as profiles
from controller.service.crashes import crash_words
from controller.service.event_lines import line_of
from controller.table.authority import may
from feed.allow_list import KeyOwner
from feed.events import TableOpened, decode, encode
from feed.state import TableState
from tests.fakes.virtual_service import VirtualService
from tests.plugin import PLUGIN, TABLE, distribution, installed_into
from tests.tables.bench import configured
from tests.tables.money_lines import money_toml
from tests.tables.problems import problem_lines

TRUSTING = TABLE.read_text(encoding="utf-8")
WITHOUT = TRUSTING.replace('packages = ["fair-wheel"]\n', "")
ROULETTE = '[table]\nid = "t"\ngame = "roulette"\npackages = ["other"]\n[lines]\nbackend = "sim"\n'
NEW_CLEAR = """
from dataclasses import replace
from controller.games.catalogue import GAME
from controller.table.orders.order import Verb
X = replace(GAME["roulette"], name="new", orders=(Verb("clear", lambda *given: "done"),))
"""
NEW_VIEW = """
from dataclasses import replace
from controller.games.catalogue import GAME
from feed.game_view import GameView
X = replace(GAME["roulette"], name="new", view=GameView({}))
"""
THEIRS = """
from pathlib import Path
from controller.rules.profile import RulesSpec
X = RulesSpec("theirs", Path(__file__).with_name("theirs.toml"))
"""
RINGS = """
from dataclasses import replace
from controller.games.catalogue import GAME
from controller.rules.cited import Cited
from controller.table.authority import Authority
from controller.table.orders.order import Verb
X = replace(GAME["roulette"], name="new", orders=(Verb("ring", lambda *given: "done", authority=AUTHORITY),))
"""
TRAP = 'raise SystemExit("imported")\n'


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed_into(tmp_path_factory.mktemp("plugin"))


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What a test imports of other packages is forgotten after it."""
    modules, sources = set(sys.modules), dict(profiles.SOURCES)
    yield
    for name in set(sys.modules) - modules:
        if name.partition(".")[0] in {"fair_wheel", "other"}:
            del sys.modules[name]
    outside._IMPORTED.clear()
    profiles.SOURCES.clear()
    profiles.SOURCES.update(sources)
    profiles.profile.cache_clear()
    invalidate_caches()


@pytest.fixture
def plugin(built: Path, forgotten: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(built))
    return built


@pytest.fixture
def folder(tmp_path: Path, forgotten: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def trusting() -> TableConfig:
    (config,) = check([TABLE]).tables
    return config


@pytest.mark.long
def test_the_package_plays_at_a_table_whose_file_names_it(plugin: Path) -> None:
    assert TRUSTING.count('packages = ["fair-wheel"]') == 1
    config, score, state = trusting(), Score(), TableState("fair-1")
    played = list(simulate(config, 40, 3, {9: "short_spin", 17: "reversed_spin", 30: "dark_track"}))
    for one in played:
        score.add(one)
        for event in one.events:
            state.apply(event)
    assert (score.unsupported, score.refused) == ([], [])
    assert score.verdicts["outcome"] == 37
    opened = next(event for event in played[0].events if isinstance(event.data, TableOpened))
    assert isinstance(opened.data, TableOpened)
    (package,) = opened.data.packages
    assert (package.name, package.version, len(package.sha256)) == ("fair-wheel", "1.0.0", 64)
    assert state.view is not None and state.view.hero == "prize"
    assert TableState.from_snapshot(state.snapshot()).view == state.view
    assert any("OUTCOME space " in line_of(event) for one in played for event in one.events)


def test_the_example_is_short_enough_to_be_read_first() -> None:
    lines = [line for file in PLUGIN.rglob("*.py") for line in file.read_text(encoding="utf-8").splitlines()]
    assert sum(bool(line.strip()) for line in lines) <= 300


def test_a_table_whose_file_does_not_name_it_is_refused_and_nothing_is_imported(built: Path) -> None:
    program = f"""
import sys
from controller.games.load import check_text
for problem in check_text({WITHOUT!r}).problems:
    print(problem)
print([name for name in sys.modules if name.startswith("fair_wheel")])
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": f"{built}:."}, capture_output=True, text=True, check=True
    )
    assert 'unknown game "fair_wheel"; the package fair-wheel offers it: if you trust it, write ' in ran.stdout
    assert ran.stdout.endswith("[]\n")


def test_a_misspelt_name_of_a_package_is_replaced_in_the_list_that_is_advised(plugin: Path) -> None:
    game, _ = problem_lines(check_text(TRUSTING.replace('["fair-wheel"]', '["fair-whel"]')))
    assert 'write packages = ["fair-wheel"] under [table]' in game


def test_its_rules_and_devices_are_those_of_the_tables_that_name_it(plugin: Path) -> None:
    trusting()
    (wrong,) = problem_lines(check_text(ROULETTE.replace('packages = ["other"]', 'rules = "fair"')))
    assert 'unknown profile "fair"' in wrong


def test_what_is_certified_names_its_version_and_every_change_of_its_files(
    built: Path, forgotten: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(built), str(copy)], check=True)
    monkeypatch.syspath_prepend(str(copy))
    certificate = made_now(trusting(), {}, by="ann", time="now")
    assert set(certificate.packages) == {"fair-wheel"}
    outside._IMPORTED.clear()
    profiles.SOURCES.pop("fair")
    (copy / "fair_wheel" / "added.py").write_text("")
    (difference,) = model_differences(certificate, trusting())
    assert difference.startswith("package fair-wheel: sha256 was ")


HEADER = 16
"""Octets of a compiled file before its code: when its source was changed, and how large it is."""


def test_a_compiled_file_that_is_not_its_sources_is_refused(
    built: Path, forgotten: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(built), str(copy)], check=True)
    monkeypatch.syspath_prepend(str(copy))
    source = copy / "fair_wheel" / "rounds.py"
    # As Python writes them: `cp` gave the sources another time.
    py_compile.compile(str(source), doraise=True)
    compiled = next((copy / "fair_wheel" / "__pycache__").glob("rounds.*.pyc"))
    other = next((copy / "fair_wheel" / "__pycache__").glob("spec.*.pyc"))
    compiled.write_bytes(compiled.read_bytes()[:HEADER] + other.read_bytes()[HEADER:])
    assert "is not what rounds.py compiles to" in problem_lines(check([TABLE]))[-1]
    # After a change of the source Python compiles it again, whatever the file has.
    source.write_text(source.read_text() + "CHANGED = 1\n")
    assert problem_lines(check([TABLE])) == []


@pytest.mark.parametrize(
    ("offers", "wrong"),
    [
        ({"feltwire.games/roulette": "other:X"}, "offers the game roulette, which is ours and cannot be replaced"),
        ({"feltwire.devices/shoe": "other:X"}, "offers the device shoe, which is ours and cannot be replaced"),
        ({"feltwire.backends/gpiod": "other:X"}, "offers the backend gpiod, which is ours"),
        ({"feltwire.rules/house": "other:X"}, "offers the profile of rules house, which is ours"),
        ({"feltwire.rules/njac-99": "other:X"}, "offers the profile of rules njac-99, which is ours"),
    ],
)
def test_what_is_ours_is_not_replaced_and_who_tries_is_not_imported(
    folder: Path, offers: dict[str, str], wrong: str
) -> None:
    distribution(folder, "other", offers, {"other.py": TRAP})
    assert wrong in problem_lines(check_text(ROULETTE))[0]


def test_an_order_of_ours_is_not_replaced(folder: Path) -> None:
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, {"other.py": NEW_CLEAR})
    wrong = "its game new has an order clear of its own, which is ours and cannot be replaced"
    assert wrong in problem_lines(check_text(ROULETTE))[0]


def test_an_order_that_anybody_could_send_is_refused(folder: Path) -> None:
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, {"other.py": NEW_CLEAR.replace("clear", "ring")})
    wrong = "its game new has an order ring and does not say who may send it (Verb.authority)"
    assert wrong in problem_lines(check_text(ROULETTE))[0]


@pytest.mark.parametrize("name", ["quit", "status", "journalled", "open"])
def test_an_order_does_not_have_the_name_of_one_of_the_service(folder: Path, name: str) -> None:
    named = RINGS.replace("ring", name).replace("AUTHORITY", "Authority('serves', Cited(('dealer',), 'ours'))")
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, {"other.py": named})
    wrong = f"its game new has an order {name} of its own, which is ours and cannot be replaced"
    assert wrong in problem_lines(check_text(ROULETTE))[0]


@pytest.mark.parametrize(
    ("authority", "wrong"),
    [
        ("'dealer'", "its Verb.authority is not an Authority, but a str"),
        ("Authority('serves', ('dealer',))", "its Verb.authority cannot be read (Expected `object`, got `array`"),
        ("Authority('rings', Cited(('dealer',), 'ours'))", "its Verb.authority cannot be read (Invalid enum value"),
        ("Authority('serves', Cited(('deeler',), 'ours'))", "in its Verb.authority the role 'deeler' is not one of"),
        ("Authority('serves', Cited((), 'ours'))", "its Verb.authority names no role"),
    ],
)
def test_an_order_whose_senders_cannot_be_judged_is_refused(folder: Path, authority: str, wrong: str) -> None:
    module = RINGS.replace("AUTHORITY", authority)
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, {"other.py": module})
    found = problem_lines(check_text(ROULETTE))[0]
    assert "its game new has an order ring and " in found
    assert wrong in found


def test_an_order_that_is_no_verb_is_refused(folder: Path) -> None:
    module = RINGS.replace('Verb("ring", lambda *given: "done", authority=AUTHORITY)', '"ring"')
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, {"other.py": module})
    assert "an order of its game new is not a Verb, but a str" in problem_lines(check_text(ROULETTE))[0]


def test_an_order_that_states_its_senders_is_taken(folder: Path) -> None:
    module = RINGS.replace("AUTHORITY", "Authority('serves', Cited(('dealer', 'technician'), 'ours'))")
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, {"other.py": module})
    assert problem_lines(check_text(ROULETTE)) == []


@pytest.mark.parametrize(
    ("view", "wrong"),
    [
        ("hero='pocket', colors={'7': 'pink'}", "Invalid enum value 'pink' - at `$.colors[...]`"),
        ("hero='Not a field'", "at `$.hero`"),
        ("hero=7", "Expected `str`, got `int` - at `$.hero`"),
        ("hero='pocket', words={'en': {'game': 'New'}}", "words are given as GameView.words; write them in words.json"),
    ],
)
def test_a_view_that_readers_would_not_take_is_refused(folder: Path, view: str, wrong: str) -> None:
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, {"other.py": NEW_VIEW.format(view)})
    assert wrong in problem_lines(check_text(ROULETTE))[0]


def test_a_reader_survives_a_view_of_a_newer_version(plugin: Path) -> None:
    opened = next(
        event for event in next(iter(simulate(trusting(), 1, 3, {}))).events if isinstance(event.data, TableOpened)
    )
    newer = decode(encode(opened).replace(b'"gold"', b'"pink"'))
    assert isinstance(newer.data, TableOpened) and newer.data.view is not None
    assert newer.data.view.colors["bear"] == "pink"


def test_every_file_that_can_run_is_in_the_hash(folder: Path) -> None:
    files = {
        "other/__init__.py": "",
        "other/__pycache__/hidden.py": "",
        "other/__pycache__/old.cpython-38.pyc": "",
        "other_fast.abi3.so": "",
        "other-start.pth": "import other",
    }
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, files)
    assert [path for path, _ in files_of(installed()["other"])] == [
        "(METADATA)",
        "(entry_points.txt)",
        "other-start.pth",
        "other/__init__.py",
        "other/__pycache__/hidden.py",
        "other_fast.abi3.so",
    ]


def test_a_table_of_another_game_by_our_rules_is_told_what_to_write(plugin: Path) -> None:
    by_ours = TRUSTING.replace("[table]\n", '[table]\nrules = "njac-13:47-20"\n')
    assert problem_lines(check_text(by_ours))[0].endswith('write "fair"')


def test_a_table_that_names_no_rules_plays_by_those_of_its_own_packages_whatever_else_was_imported(
    plugin: Path, folder: Path
) -> None:
    assert trusting().rules == "fair"
    theirs = (PLUGIN / "fair_wheel" / "rules.toml").read_text(encoding="utf-8").replace('"fair"', '"theirs"')
    distribution(folder, "other", {"feltwire.rules/theirs": "other:X"}, {"other.py": THEIRS, "theirs.toml": theirs})
    assert check_text(ROULETTE).problems == [], "another table's package, whose rules know the game too"
    assert "theirs" in profiles.SOURCES
    assert trusting().rules == "fair"


def test_a_package_that_brings_files_of_ours_is_not_imported(folder: Path) -> None:
    files = {"other.py": TRAP, "simulators/added.py": ""}
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, files)
    assert "it brings files of simulators, which is Feltwire's own" in problem_lines(check_text(ROULETTE))[0]


@pytest.mark.parametrize(
    ("module", "wrong"),
    [
        ("import missing_library\nX = 1\n", "other 1.0 cannot be imported (ModuleNotFoundError"),
        ("X = 1\n", "its entry point new gives no GameSpec of that name, but a int"),
        ("Y = 1\n", "other 1.0 cannot be imported (AttributeError"),
        (
            "raise RuntimeError('no licence')\n",
            "other 1.0 cannot be imported (RuntimeError: no licence); ask the author of other",
        ),
    ],
)
def test_a_package_that_cannot_be_used_is_named_with_the_cause(folder: Path, module: str, wrong: str) -> None:
    distribution(folder, "other", {"feltwire.games/new": "other:X"}, {"other.py": module})
    assert wrong in problem_lines(check_text(ROULETTE))[0]


def test_rules_that_do_not_fit_the_game_are_named_with_file_and_place_and_mended_are_taken(
    built: Path, tmp_path: Path, forgotten: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(shutil.copytree(built, tmp_path / "faulty")))
    rules = tmp_path / "faulty" / "fair_wheel" / "rules.toml"
    right = rules.read_text(encoding="utf-8")
    rules.write_text(right.replace('value = 2, cite = "ours"', "value = 2"), encoding="utf-8")
    game, package = problem_lines(check_text(TRUSTING))
    assert "the package fair-wheel offers it, and cannot be used: fix that first" in game
    assert f"its rules fair cannot be read ({rules}: [fair_wheel] Object missing required field `cite`" in package
    rules.write_text(right, encoding="utf-8")
    assert problem_lines(check_text(TRUSTING)) == []


@pytest.mark.parametrize("lacks", ["operator_classes", "supervisor_classes"])
def test_a_regulation_that_does_not_say_who_operates_a_game_is_refused_with_file_section_and_key(
    folder: Path, lacks: str
) -> None:
    fair = (PLUGIN / "fair_wheel" / "rules.toml").read_text(encoding="utf-8").replace('"fair"', '"theirs"')
    keys = ("operator_classes", "supervisor_classes")
    stated = {key: f'{key} = {{ value = ["A"], cite = "1:2" }}\n' for key in keys}
    head = "[fair_wheel]\n"
    complete = fair.replace("house = true\n", "").replace(head, head + "".join(stated.values()))
    wrong = complete.replace(stated[lacks], "")
    distribution(folder, "other", {"feltwire.rules/theirs": "other:X"}, {"other.py": THEIRS, "theirs.toml": wrong})
    (problem,) = problem_lines(check_text(ROULETTE))
    assert f"{folder / 'theirs.toml'}: [fair_wheel] Object missing required field `{lacks}`" in problem
    assert "write it, or house = true" in problem
    (folder / "theirs.toml").write_text(complete, encoding="utf-8")
    assert problem_lines(check_text(ROULETTE)) == []
    assert may(KeyOwner("ann", "dealer", "A"), "settle", "fair_wheel", "theirs") is None


def test_a_package_that_is_not_installed_is_named_with_the_nearest(plugin: Path) -> None:
    (problem,) = problem_lines(check_text(ROULETTE.replace("other", "fair-whel")))
    assert "no package of this name that offers games" in problem
    assert 'did you mean "fair-wheel"?' in problem


def test_a_package_is_listed_once(plugin: Path) -> None:
    (problem,) = problem_lines(check_text(TRUSTING.replace('["fair-wheel"]', '["fair-wheel", "Fair_Wheel"]')))
    assert "table.packages[1]: is listed twice" in problem


def test_an_error_in_a_package_is_told_with_its_table_package_and_line(folder: Path) -> None:
    modules = {f"fair_wheel/{file.name}": file.read_text() for file in (PLUGIN / "fair_wheel").iterdir() if file.suffix}
    take = "    def _take(self, edge: Edge, found: list[Observation]) -> None:\n"
    planted = modules["fair_wheel/device.py"].replace(take, f'{take}        raise ValueError("planted")\n')
    modules["fair_wheel/device.py"] = planted
    line = planted.splitlines().index('        raise ValueError("planted")') + 1
    offers = {
        "feltwire.games/fair_wheel": "fair_wheel.spec:FAIR_WHEEL",
        "feltwire.devices/code_wheel": "fair_wheel.device:CODE_WHEEL",
        "feltwire.rules/fair": "fair_wheel.spec:FAIR_RULES",
    }
    distribution(folder, "fair-wheel", offers, modules)
    config = trusting()
    hall = VirtualService([configured(money_toml()), config])
    hall.open()
    with pytest.raises(ValueError, match="planted") as raised:
        hall.run(60)
    words = crash_words(raised.value, [config])
    assert f" at table fair-1, in the package fair-wheel 1.0 (device.py, line {line}): ValueError: planted; " in words
    assert "in the package" not in crash_words(ValueError("ours"), [config])
