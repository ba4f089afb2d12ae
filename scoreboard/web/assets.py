"""The files of a page, out of the package, held in memory.

They are read and packed once, at the start: a path of a request is looked up among their names and never reaches the
file system, so that none leaves the folder. There is no build step, and nothing comes from outside.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from aiohttp import web
from multidict import CIMultiDict

INDEX: Final = "index.html"
"""The file of a path that ends in a slash."""

CONTENT_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/x-icon",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "webp": "image/webp",
    "woff2": "font/woff2",
}
"""By the ending of a file's name. Browsers are instructed never to guess, so that a file of another kind is refused
here."""

_NOT_SERVED: Final = frozenset({"py", "pyc", "md"})
_ETAG_DIGITS: Final = 32


class AssetsError(ValueError):
    """Files that cannot be served; the message names the file and what to do."""


class Asset(NamedTuple):
    """One file."""

    body: bytes
    content_type: str
    etag: str
    """Of its content, in quotes as HTTP has it."""
    packed: bytes | None
    """Its content as gzip, where that is shorter."""

    @classmethod
    def of(cls, name: str, body: bytes) -> Asset:
        """The asset of a file.

        Raises:
            AssetsError: its kind is not in `CONTENT_TYPES`.
        """
        kind = name.rpartition(".")[2].lower()
        if kind not in CONTENT_TYPES:
            known = ", ".join(sorted(CONTENT_TYPES))
            raise AssetsError(f'{name}: pages have files that end in {known}; "{kind}" has no content type here')
        packed = gzip.compress(body, mtime=0)
        return cls(
            body,
            CONTENT_TYPES[kind],
            f'"{sha256(body).hexdigest()[:_ETAG_DIGITS]}"',
            packed if len(packed) < len(body) else None,
        )


class Assets:
    """The files below one path of a site."""

    def __init__(self, files: Mapping[str, bytes], *, below: str = "/") -> None:
        """`files` by their paths inside the folder; `below` is the path of the site that it has, with a slash at both
        ends.

        Raises:
            AssetsError: a file cannot be served, or `below` has no slash at an end.
        """
        if not (below.startswith("/") and below.endswith("/")):
            raise AssetsError(f'a folder of a site begins and ends in a slash: "{below}" does not')
        self.paths: dict[str, Asset] = {}
        """Each file by its path on the site."""
        for name, body in files.items():
            asset = Asset.of(name, body)
            self.paths[below + name] = asset
            folder, _, last = name.rpartition("/")
            if last == INDEX:
                self.paths[below + (f"{folder}/" if folder else "")] = asset

    @classmethod
    def of_package(cls, package: str, folder: str, *, below: str = "/") -> Assets:
        """The files of a package's folder, with the folders inside it.

        Raises:
            AssetsError: there is no such folder, or one of its files cannot be served.
        """
        top = Path(*import_module(package).__path__, folder)
        if not top.is_dir():
            raise AssetsError(f"{package} has no folder {folder}: install it again")
        return cls(dict(_files_below(top, "")), below=below)

    @property
    def total_bytes(self) -> int:
        """Of all files, each counted once."""
        return sum(len(asset.body) for asset in set(self.paths.values()))

    @property
    def sent_bytes(self) -> int:
        """Of all files as a browser gets them, packed where that is shorter."""
        return sum(len(asset.body if asset.packed is None else asset.packed) for asset in set(self.paths.values()))

    async def handle(self, request: web.Request) -> web.Response:
        """Answers GET and HEAD of a file; 304 where the browser has it already."""
        asset = self.paths.get(request.path)
        if asset is None:
            raise web.HTTPNotFound(text="there is no such page here; the first one is at /\n")
        body, etag = asset.body, asset.etag
        headers = CIMultiDict({"Cache-Control": "no-cache"})
        if asset.packed is not None:
            # A store on the way must not give it to a browser that cannot unpack it.
            headers["Vary"] = "Accept-Encoding"
            if _takes_gzip(request.headers.get("Accept-Encoding", "")):
                # Other bytes, so another tag.
                body, etag = asset.packed, f'{asset.etag[:-1]}-gzip"'
                headers["Content-Encoding"] = "gzip"
        headers["ETag"] = etag
        known = request.headers.get("If-None-Match", "")
        if etag in [tag.strip().removeprefix("W/") for tag in known.split(",")]:
            headers.pop("Content-Encoding", None)
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = asset.content_type
        return web.Response(body=body, headers=headers)


def _takes_gzip(accepted: str) -> bool:
    """Whether a browser takes gzip: it names it, and not with the weight 0."""
    words = (word.partition(";") for word in accepted.lower().split(","))
    weights = {name.strip(): weight.strip() for name, _, weight in words}
    return re.fullmatch(r"q=0(\.0*)?", weights.get("gzip", "q=0")) is None


def _files_below(folder: Path, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _files_below(entry, f"{path}{entry.name}/")
        elif entry.name.rpartition(".")[2] not in _NOT_SERVED:
            yield path + entry.name, entry.read_bytes()
