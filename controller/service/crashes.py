"""Names the table and the package of an unhandled error before it ends the service: one process runs all tables."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from controller.configuration.values import TableConfig


@contextmanager
def at_table(table: str) -> Iterator[None]:
    """Notes on an error that is raised meanwhile at which table it was: its traceback ends with it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"at table {table}")
        raise


def crash_words(error: BaseException, configs: Iterable[TableConfig]) -> str:
    """Where an error was raised, in words, and what to do."""
    where = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
    package = _package_of(error, _packages(configs))
    fix = "report it with the traceback"
    if package:
        where += f", in the package {package}"
        fix = "report it to the author of the package, and leave its tables out until it is fixed"
    return (
        f"the service ends by an unhandled error{where}: {type(error).__name__}: {error}; outputs are safe, and rounds "
        f"that are open will be void (power_loss): {fix}"
    )


def _packages(configs: Iterable[TableConfig]) -> dict[str, str]:
    """The packages of others that these tables use, with their versions, by the names of their modules."""
    used = {package.name for config in configs for package in config.packages}
    if not used:
        return {}
    from controller.packages.installed import installed

    found = [package for name, package in installed().items() if name in used]
    return {
        offer.entry.module.partition(".")[0]: f"{package.name} {package.version}"
        for package in found
        for offer in package.offers
    }


def _package_of(error: BaseException, packages: Mapping[str, str]) -> str:
    """The package whose code was called last, with file and line; empty where none was."""
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        package = packages.get(str(frame.f_globals.get("__name__", "")).partition(".")[0])
        if package is not None:
            return f"{package} ({Path(frame.f_code.co_filename).name}, line {line})"
    return ""
