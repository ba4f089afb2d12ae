"""The package of `examples/plugin`, built and installed by pip as a person would, without an index."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLUGIN = ROOT / "examples" / "plugin"
TABLE = PLUGIN / "fair-wheel.toml"


def installed_into(folder: Path) -> Path:
    """Installs it into a folder of its own, which is returned; takes some seconds."""
    options = ("--no-index", "--no-build-isolation", "--no-deps", "--quiet", "--target", str(folder))
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(PLUGIN)], check=True, timeout=300)
    return folder


def distribution(folder: Path, name: str, offers: dict[str, str], modules: dict[str, str]) -> None:
    """A package made by hand: `offers` are entry points, `group/id` to `module:attribute`; `modules` are its files."""
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "RECORD").write_text("".join(f"{file},,\n" for file in modules))
    groups: dict[str, list[str]] = {}
    for offer, target in offers.items():
        group, _, identity = offer.partition("/")
        groups.setdefault(group, []).append(f"{identity} = {target}\n")
    lines = (line for group, entries in groups.items() for line in (f"[{group}]\n", *entries))
    (about / "entry_points.txt").write_text("".join(lines))
    for file, text in modules.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text)
