"""The version of a build comes from the tag of its commit, and `dpkg` sorts versions as they were made."""

from __future__ import annotations

import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from hal.version import VERSION
from systemd.package.release import released
from systemd.package.systems import SYSTEMS, BuildError
from systemd.package.version import changes_of, project_number, version

CHANGES = (
    "# Changelog\n\n## Unreleased\n\n- Later.\n\n## 0.2.0 (2026-01-31)\n\n- Now.\n\n## 0.1.0 (2026-01-01)\n\n- Then.\n"
)


class Checkout:
    """A small project under git."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "feed").mkdir()
        self.write("0.2.0")
        self.git("init", "-q")
        self.commit("2026-01-31T12:00:00Z")

    def write(self, number: str) -> None:
        for name in ("pyproject.toml", "feed/pyproject.toml"):
            (self.root / name).write_text(f'[project]\nversion = "{number}"\n')
        (self.root / "CHANGELOG.md").write_text(CHANGES.replace("0.2.0", number))

    def git(self, *words: str, **environ: str) -> None:
        who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", *words], cwd=self.root, env={**os.environ, **who, **environ}, check=True)

    def commit(self, date: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", "--allow-empty", GIT_COMMITTER_DATE=date)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    return Checkout(tmp_path)


def test_a_release_has_the_number_of_its_tag_and_what_follows_is_newer(checkout: Checkout) -> None:
    before = version(checkout.root).text
    checkout.git("tag", "v0.2.0")
    assert version(checkout.root).text == "0.2.0"
    assert version(checkout.root).made.isoformat() == "2026-01-31T12:00:00+00:00"
    (checkout.root / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n# changed\n')
    changed = version(checkout.root)
    assert (changed.text, changed.changed) == (f"{before}.changed", True)
    checkout.commit("2026-02-01T00:00:00Z")
    later = version(checkout.root).text
    assert later == "0.2.0+git20260201.000000"
    old, new = (SYSTEMS[name].ending for name in ("bookworm", "trixie"))
    order = [
        f"0.2.0{old}",
        f"0.2.0{new}",
        f"{before}{old}",
        f"{before}{new}",
        f"{changed.text}{new}",
        f"{later}{old}",
        f"0.3.0{old}",
    ]
    for one, other in pairwise(order):
        assert subprocess.run(["dpkg", "--compare-versions", one, "lt", other], check=False).returncode == 0, (
            one,
            other,
        )


def test_a_tag_that_is_not_the_projects_number_is_refused(checkout: Checkout) -> None:
    checkout.git("tag", "v0.3.0")
    with pytest.raises(BuildError, match=r"the tag v0\.3\.0, and pyproject\.toml has version 0\.2\.0"):
        version(checkout.root)


def test_files_that_differ_are_named(checkout: Checkout) -> None:
    (checkout.root / "feed/pyproject.toml").write_text('[project]\nversion = "0.1.9"\n')
    with pytest.raises(BuildError, match=re.escape("feed/pyproject.toml has 0.1.9, CHANGELOG.md has 0.2.0")):
        project_number(checkout.root)


def test_a_release_has_its_own_changes(checkout: Checkout) -> None:
    assert changes_of("0.2.0", checkout.root) == "- Now."
    with pytest.raises(BuildError, match=r"CHANGELOG\.md: no section of 9\.9\.9; write .* under a heading such as"):
        changes_of("9.9.9", checkout.root)


def test_a_tag_is_released_once_the_change_log_has_its_section_and_nothing_is_left_unreleased(
    checkout: Checkout,
) -> None:
    log = checkout.root / "CHANGELOG.md"
    checkout.git("tag", "v0.2.0")
    with pytest.raises(BuildError) as refused:
        released(checkout.root)
    assert str(refused.value).startswith('CHANGELOG.md:3: 1 entry is under "Unreleased", and v0.2.0 would release')
    assert re.search(r"heading `## 0\.2\.0 \(\d{4}-\d\d-\d\d\)`, commit, and set the tag again", str(refused.value))

    log.write_text(CHANGES.replace("- Later.\n\n", "### Operations\n\n"))
    with pytest.raises(BuildError, match="something is not committed"):
        released(checkout.root)
    checkout.commit("2026-02-01T00:00:00Z")
    with pytest.raises(BuildError, match=r"no tag of a release: git tag -s v0\.2\.0"):
        released(checkout.root)
    checkout.git("tag", "-f", "v0.2.0")
    assert released(checkout.root).text == "0.2.0", "a heading without entries holds nothing back"

    log.write_text(CHANGES.replace("- Later.\n\n", "").replace("- Now.\n\n", ""))
    with pytest.raises(BuildError, match=r"the section of 0\.2\.0 is empty"):
        released(checkout.root)
    log.write_text("# Changelog\n\n## 0.1.0 (2026-01-01)\n\n- Then.\n")
    with pytest.raises(BuildError, match=r"CHANGELOG\.md: no section of 0\.2\.0"):
        released(checkout.root)


def test_the_time_may_be_given(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764300000")
    assert version(checkout.root).text == "0.2.0+git20251128.032000"


def test_every_file_of_this_project_has_one_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", project_number())
    assert project_number() == VERSION
