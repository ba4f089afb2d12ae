"""The files of the rules profiles (`data/*.toml`), read and put together.

A profile is one table over several files, one for each family of games. A section that says `text_of = "craps"` has
all that `[craps]` has, but for what it says itself: mini-craps stands in the same sections of the text.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any, Final, TypeAlias

Data: TypeAlias = dict[str, Any]

FILES: Final = {
    "njac-13:47-20": ("njac-13_47-20.toml", "njac-13_47-20-dice.toml", "njac-13_47-20-craps.toml"),
    "njac-19:47": ("njac-19_47.toml", "njac-19_47-dice.toml", "njac-19_47-craps.toml"),
    "njac-13:69F": ("njac-13_69F.toml", "njac-13_69F-dice.toml"),
}
"""The files of each profile, the oldest text of casinos before the newest."""

SAME_TEXT: Final = "text_of"


def read(name: str) -> Data:
    """The sections of a profile.

    Raises:
        KeyError: there is no such profile.
        ValueError: two files have the same section, or a section is that of a game that is not there.
    """
    data: Data = {"no_text": {}}
    for file in FILES[name]:
        text = resources.files("controller.rules").joinpath("data", file).read_text(encoding="utf-8")
        part = tomllib.loads(text)
        for sections, into in ((part.pop("no_text", {}), data["no_text"]), (part, data)):
            twice = sorted(set(sections) & set(into))
            if twice:
                raise ValueError(f"{file}: {', '.join(twice)} stands in another file of {name} too")
            into.update(sections)
    return {key: _completed(data, key, section) for key, section in data.items()}


def _completed(data: Data, key: str, section: Any) -> Any:
    """The section with the text that it shares with another."""
    if not isinstance(section, dict) or SAME_TEXT not in section:
        return section
    of = section[SAME_TEXT]
    if of == key or of not in data:
        raise ValueError(f"[{key}] {SAME_TEXT} = {of!r}: there is no other section of that name")
    return _changed(data[of], {name: value for name, value in section.items() if name != SAME_TEXT})


def _changed(base: Data, changes: Data) -> Data:
    """`base` with `changes`, table by table. A cited value is replaced whole, with its citation and its note."""
    changed = dict(base)
    for name, value in changes.items():
        before = base.get(name)
        table = isinstance(value, dict) and isinstance(before, dict) and "value" not in value
        changed[name] = _changed(before, value) if table and isinstance(before, dict) else value
    return changed
