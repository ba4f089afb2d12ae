"""A package's parts (SBOM), in CycloneDX 1.6: wheels, the libraries inside them, firmware, fonts and scripts."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from systemd.package.systems import System
from systemd.package.third_parties import OURS, ThirdParty
from systemd.package.version import Version
from systemd.package.wheels import Distribution, distributions

NAME: Final = "sbom.cdx.json"
_NAMESPACE: Final = uuid.UUID("6f1c0f39-1a3a-5e0b-9d0f-8a5f0f3e7c11")
"""Of the serial numbers: the same content has the same."""
IMAGES: Final = "controller/boards/images"
SCRIPTS: Final = (("*.js", "text/javascript"), ("*.css", "text/css"))
FONTS: Final = "font/woff2"


def bill(
    libraries: Path,
    place: Path,
    found: Sequence[ThirdParty],
    wheels: Sequence[Path],
    system: System,
    arch: str,
    made: Version,
) -> str:
    """The document, as text: the same for the same content."""
    hashes = {path.name.split("-")[0].lower(): digest(path) for path in wheels}
    components = [
        *_wheels(found, hashes),
        *_firmware(libraries, place, found),
        *_files(libraries, place, found),
    ]
    distro = system.ending.removeprefix("+").replace("deb", "debian-")
    ours = f"pkg:deb/feltwire/{OURS}@{made.text}?arch={arch}&distro={distro}"
    document: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": f"{made.made:%Y-%m-%dT%H:%M:%SZ}",
            "component": {
                "type": "application",
                "bom-ref": ours,
                "name": OURS,
                "version": made.text,
                "description": f"controller inside a casino-night table, for {system.words}, {arch}",
                "purl": ours,
            },
        },
        "components": components,
        "dependencies": [*_dependencies(libraries, ours, components, system, arch)],
    }
    serial = uuid.uuid5(_NAMESPACE, json.dumps(document, sort_keys=True))
    return json.dumps({"serialNumber": f"urn:uuid:{serial}", **document}, indent=1, sort_keys=True) + "\n"


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def _licences(expression: str) -> list[dict[str, Any]]:
    if " " in expression:
        return [{"expression": expression}]
    return [{"license": {"id": expression}}]


def _hashes(value: str) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": value}]


def _wheels(found: Iterable[ThirdParty], hashes: dict[str, str]) -> Iterator[dict[str, Any]]:
    parts = list(found)
    for part in parts:
        if part.wheel is None or part.inside:
            continue
        inside = [
            {
                "type": "library",
                "bom-ref": f"{part.wheel.purl}#{one.name}",
                "name": one.name,
                **({"version": one.version} if one.version else {}),
                "licenses": _licences(one.licence),
                "properties": [{"name": "feltwire:file", "value": str(path)} for path in one.files],
            }
            for one in parts
            if one.inside and one.wheel == part.wheel
        ]
        yield {
            "type": "library",
            "bom-ref": part.wheel.purl,
            "name": part.name,
            "version": part.wheel.version,
            "purl": part.wheel.purl,
            "licenses": _licences(part.licence),
            "hashes": _hashes(hashes[part.wheel.folder.name.split("-")[0].lower()]),
            **({"components": inside} if inside else {}),
        }


def _firmware(libraries: Path, place: Path, found: Iterable[ThirdParty]) -> Iterator[dict[str, Any]]:
    manifest = json.loads((libraries / IMAGES / "manifest.json").read_text(encoding="utf-8"))
    parts = [part for part in found if part.files[0].suffix == ".hex"]
    for kind, board in sorted(manifest["boards"].items()):
        image = libraries / IMAGES / board["hex"]
        yield {
            "type": "firmware",
            "bom-ref": f"firmware:{kind}",
            "name": f"{OURS}-{kind}-board",
            "version": manifest["version"],
            "hashes": _hashes(digest(image)),
            "properties": [{"name": "feltwire:file", "value": str(place / IMAGES / board["hex"])}],
            "components": [
                {
                    "type": "library",
                    "bom-ref": f"firmware:{kind}#{part.name}",
                    "name": part.name,
                    **({"version": manifest["toolchain"][part.name]} if part.name in manifest["toolchain"] else {}),
                    "licenses": _licences(part.licence),
                }
                for part in parts
            ],
        }


def _files(libraries: Path, place: Path, found: Iterable[ThirdParty]) -> Iterator[dict[str, Any]]:
    """Fonts, and the scripts and style sheets of the project's own pages."""
    for part in found:
        if part.wheel is None and part.files[0].suffix == ".woff2":
            for path in part.files:
                yield _file(libraries, place, libraries / path.relative_to(place), FONTS, part.licence)
    ours = _folders_of_ours(libraries)
    for pattern, kind in SCRIPTS:
        for folder in ours:
            for path in sorted((libraries / folder).rglob(pattern)):
                yield _file(libraries, place, path, kind)


def _file(libraries: Path, place: Path, path: Path, kind: str, licence: str | None = None) -> dict[str, Any]:
    return {
        "type": "file",
        "bom-ref": f"file:{path.relative_to(libraries)}",
        "name": str(place / path.relative_to(libraries)),
        "mime-type": kind,
        "hashes": _hashes(digest(path)),
        **({"licenses": _licences(licence)} if licence else {}),
    }


def _folders_of_ours(libraries: Path) -> list[str]:
    (record,) = libraries.glob(f"{OURS}-*.dist-info/RECORD")
    names = {line.split("/")[0] for line in record.read_text(encoding="utf-8").splitlines()}
    return sorted(name for name in names if not name.endswith(".dist-info"))


def _dependencies(
    libraries: Path, ours: str, components: Sequence[dict[str, Any]], system: System, arch: str
) -> Iterator[dict[str, Any]]:
    """What needs what, as the wheels state it for this system."""
    there = {str(canonicalize_name(one.name)): one for one in distributions(libraries)}
    others = [str(one["bom-ref"]) for one in components if not str(one["bom-ref"]).startswith("pkg:pypi/")]
    for name, one in there.items():
        needed = sorted(there[other].purl for other in needed_by(one, system, arch) if other in there)
        if name == OURS:
            # The extras of a table's computer are in the package too.
            everything = sorted(other.purl for other in there.values() if other.name != OURS)
            yield {"ref": ours, "dependsOn": [*everything, *others]}
        else:
            yield {"ref": one.purl, "dependsOn": needed}


def needed_by(one: Distribution, system: System, arch: str) -> set[str]:
    """The distributions that one requires there, without its extras."""
    target = {**system.markers(arch), "extra": ""}
    requirements = [Requirement(text) for text in one.about.get_all("Requires-Dist", [])]
    return {
        canonicalize_name(needed.name)
        for needed in requirements
        if needed.marker is None or needed.marker.evaluate(target)
    }
