"""A small disk that a test can fill: memory, mounted in a namespace of its own, so that no test needs to be root."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SIZE_MB: Final = 64
_PIECE: Final = bytes(65536)


class SmallDisk:
    """A disk at `path`, for processes that are started with `enter` before their words."""

    def __init__(self, path: Path, holder: int) -> None:
        self.enter = ["nsenter", "--preserve-credentials", "-U", "-m", "-t", str(holder), "--"]
        # As the holder of the namespace has it.
        self._filler = Path(f"/proc/{holder}/root") / path.relative_to("/") / "filler"

    def fill(self) -> None:
        """From now on nothing more can be written."""
        with self._filler.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(_PIECE)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def free(self) -> None:
        """There is room again."""
        self._filler.unlink()


@contextmanager
def small_disk(path: Path) -> Iterator[SmallDisk]:
    """A disk at `path`, which is made, for the block."""
    path.mkdir(parents=True)
    mount = f'mount -t tmpfs -o size={SIZE_MB}m tmpfs "$1" && echo mounted && exec sleep infinity'
    holder = subprocess.Popen(["unshare", "-rm", "sh", "-c", mount, "sh", str(path)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"mounted\n"
        yield SmallDisk(path, holder.pid)
    finally:
        holder.kill()
        holder.communicate()
