"""Whether plain Python runs, or modules that mypyc compiled (`systemd/package/compiled.py`), all of one build."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from sysconfig import get_config_var
from typing import Any, Final

from controller.packages.files import COMPILED, LIBRARY, PACKAGES, ROOT, hash_of, library_files

RECORD: Final = "controller/packages/compiled.json"
"""What was compiled with what, each file by its SHA-256; plain Python has no such file."""
PLAIN: Final = "plain"


class MixedCodeError(Exception):
    """Python would run other code than the sources beside it have; the message names the file and what to do."""

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"{file}: {why}")


@cache
def code(root: Path = ROOT) -> str:
    """`plain`, or `compiled by mypyc 2.4.1`.

    Raises:
        MixedCodeError: the compiled modules are not those of the record, or not those of the sources.
    """
    there = {path.relative_to(root).as_posix() for path in _libraries(root)}
    if not (root / RECORD).exists():
        for name in sorted(there):
            raise MixedCodeError(name, "it runs in place of the source beside it; delete it")
        return PLAIN
    try:
        record: dict[str, Any] = json.loads((root / RECORD).read_bytes())
        mypyc, modules = str(record["mypyc"]), [str(name) for name in record["modules"]]
        sources, libraries = dict(record["sources"]), dict(record["libraries"])
        # Python passes over a library for another one, and would run the source beside it.
        loaded = {f"{name.removesuffix('.py')}{get_config_var('EXT_SUFFIX')}" for name in (LIBRARY, *modules)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MixedCodeError(RECORD, f"it cannot be read ({error}); install the software again") from error
    for name in sorted(libraries.keys() - loaded):
        raise MixedCodeError(name, "it is for another Python or computer; install the software for this one")
    for name in sorted(loaded - libraries.keys()):
        raise MixedCodeError(name, f"{RECORD} does not have it; install the software again")
    for name in sorted(there - loaded):
        raise MixedCodeError(name, f"{RECORD} does not have it, and it runs in place of a source; delete it")
    for name, sha256 in libraries.items():
        if hash_of(root / name) != sha256:
            raise MixedCodeError(name, f"it is not the one of {RECORD}; install the software again")
    for name, sha256 in sources.items():
        if hash_of(root / name) != sha256:
            raise MixedCodeError(name, "it is not what was compiled, and does not run; install the software again")
    return f"compiled by mypyc {mypyc}"


def _libraries(root: Path) -> Iterator[Path]:
    """Each file that Python would import in place of a source of the project."""
    yield from library_files(root)
    endings = tuple(EXTENSION_SUFFIXES)
    for package in PACKAGES:
        for folder, folders, names in os.walk(root / package):
            if COMPILED in folders:
                folders.remove(COMPILED)
            yield from (Path(folder, name) for name in names if name.endswith(endings))
