"""An aiohttp application for local pages: guarded, with the headers of every answer, and its files."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web

from .assets import Assets
from .guard import NamesAllowed, add_headers, guard

MOST_BODY_BYTES = 64 * 1024
"""The longest body of a request (ours). A page that takes files says so: `application(..., most_body_bytes=...)`."""


def application(
    allowed: NamesAllowed,
    assets: Sequence[Assets],
    *,
    most_body_bytes: int = MOST_BODY_BYTES,
    embedded_by: Sequence[str] = (),
) -> web.Application:
    """An application that serves these files, and to which other routes may be added.

    `embedded_by` are the origins (`parse_origin`) whose pages may frame its own.
    """
    files = Assets({})
    for folder in assets:
        files.paths.update(folder.paths)
    app = web.Application(middlewares=[guard(allowed)], client_max_size=most_body_bytes)
    app.on_response_prepare.append(add_headers(embedded_by))
    for path in files.paths:
        app.router.add_get(path, files.handle)
    return app
