"""The work of others in a package: its licences, and the texts that have to come with it.

Wheels state most of it themselves; `third_parties.toml` has the rest. What neither states stops the build.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.utils import canonicalize_name

from systemd.package.systems import BuildError
from systemd.package.wheels import Distribution, distributions

HERE: Final = Path(__file__).resolve().parent
STATED: Final = HERE / "third_parties.toml"
TEXTS: Final = HERE / "licences"
OURS: Final = "feltwire"
_NAMED_SO: Final = ("licen", "copying", "notice", "authors")


class ThirdParty(NamedTuple):
    """Something of others: a wheel, a library inside one, or files."""

    name: str
    version: str | None
    licence: str
    """An SPDX expression."""
    texts: tuple[Path, ...]
    files: tuple[Path, ...]
    """Where it is, from the root of the package."""
    wheel: Distribution | None = None
    """The wheel that it is, or is inside of."""
    inside: bool = False


def parts(libraries: Path, place: Path) -> Iterator[ThirdParty]:
    """Everything of others below the folder of libraries, which is at `place` in the package.

    Raises:
        BuildError: a licence or its text is missing, or a stated part is not there.
    """
    stated = tomllib.loads(STATED.read_text(encoding="utf-8"))
    wheels = {canonicalize_name(one.name): one for one in distributions(libraries) if one.name != OURS}
    for name, wheel in wheels.items():
        texts = tuple(_texts_of(wheel)) or _stated_texts(stated, name, wheel)
        where = place / wheel.folder.name
        yield ThirdParty(wheel.name, wheel.version, _licence(stated, name, wheel), texts, (where,), wheel)
    for one in stated["inside"]:
        wheel = wheels[one["wheel"]]
        files = _found(libraries, one["file"], place)
        text = wheel.folder / one["text"] if (wheel.folder / one["text"]).is_file() else TEXTS / one["text"]
        yield ThirdParty(one["name"], one.get("version"), one["licence"], (_there(text),), files, wheel, inside=True)
    for one in stated["firmware"]:
        files = _found(libraries, "controller/boards/images/*.hex", place)
        yield ThirdParty(one["name"], None, one["licence"], (_there(TEXTS / one["text"]),), files)
    for one in stated["files"]:
        files = _found(libraries, one["pattern"], place)
        yield ThirdParty(one["name"], None, one["licence"], (_there(libraries / one["text"]),), files)


def _texts_of(wheel: Distribution) -> Iterator[Path]:
    for path in sorted(wheel.folder.rglob("*")):
        inside = path.relative_to(wheel.folder)
        if path.is_file() and (inside.parts[0] == "licenses" or path.name.lower().startswith(_NAMED_SO)):
            yield path


def _stated_texts(stated: dict[str, Any], name: str, wheel: Distribution) -> tuple[Path, ...]:
    if name not in stated["texts"]:
        raise BuildError(
            f"{wheel.name} {wheel.version} comes without the text of its licence: put it into {TEXTS}, and name it in "
            f"[texts] of {STATED.name}"
        )
    return (_there(TEXTS / stated["texts"][name]),)


def _licence(stated: dict[str, Any], name: str, wheel: Distribution) -> str:
    given = stated["licences"].get(name) or wheel.about["License-Expression"] or wheel.about["License"] or ""
    try:
        return canonicalize_license_expression(given)
    except InvalidLicenseExpression as error:
        raise BuildError(
            f"{wheel.name} {wheel.version}: its metadata has the licence {given!r}, which is not an SPDX expression; "
            f"read its licence, and write it into [licences] of {STATED.name}"
        ) from error


def _found(libraries: Path, pattern: str, place: Path) -> tuple[Path, ...]:
    files = tuple(place / path.relative_to(libraries) for path in sorted(libraries.glob(pattern)))
    if not files:
        raise BuildError(f"{STATED.name}: {pattern}: there is no such file in the package")
    return files


def _there(path: Path) -> Path:
    if not path.is_file():
        raise BuildError(f"{STATED.name}: {path.name}: there is no such text of a licence")
    return path


def copyright_file(head: str, found: list[ThirdParty]) -> str:
    """Debian's copyright file (its format 1.0), with every text."""
    stanzas = [head.rstrip()]
    for part in found:
        of = f" (inside {part.wheel.name})" if part.inside and part.wheel else ""
        number = f" {part.version}" if part.version else ""
        files = "\n ".join(f"{path}/*" if path.suffix == ".dist-info" else str(path) for path in part.files)
        text = "\n\n".join(path.read_text(encoding="utf-8").strip() for path in part.texts)
        stanzas.append(
            f"Files: {files}\nCopyright: the authors of {part.name}{number}{of}, as below\n"
            f"License: {part.licence.replace(' ', '-')}\n{_indented(text)}"
        )
    return "\n\n".join(stanzas) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f" {line.rstrip()}" if line.strip() else " ." for line in text.splitlines())
