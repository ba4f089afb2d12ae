"""Gives proofs of results to whoever asks, with the page that checks them.

/                       the page; what is behind # names a result: EVENT/HASH, or round/TABLE/NUMBER
/proof/EVENT            the event, its proof, and the policy, as JSON
/round/TABLE/NUMBER     the same of the last verdict of a round, or of its correction
/checkpoint             the newest signed checkpoint
/consistency/OLD/NEW    hashes that show that the tree only grew, one a line in base64
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from aiohttp import hdrs, web

from audit.errors import JournalError
from audit.records import Record
from audit.schema import VERDICTS
from audit.transparency.check_page import ResultLinkError, check_page, result_link, shown_result
from audit.transparency.journal_log import NOT_COMPARED, NotWitnessedError, find_event, find_verdict, prove
from audit.transparency.notes import encode_base64
from audit.transparency.sealed_leaves import RecordChanged, RecordMissing
from audit.transparency.tree import consistency_proof
from audit.transparency.tree_file import NEWEST, TreeFile

log = logging.getLogger(__name__)

_NUMBER = "[0-9]{1,15}"
MOST_LOOKUPS: Final = 32
"""Requests that files are read for, the one that is being answered included (ours)."""

_TOO_EARLY: Final = 425
_NOT_KNOWN: Final = "which verdict of a round is the last is not known"
_CANNOT_USE: Final = "the journal, or an archive of it, cannot be used; the publisher has logged why\n"

_T = TypeVar("_T")


class _LookupThread:
    """One thread in which files are read for strangers: a look for a round that is not there reads all of a table,
    and the publisher signs in threads of its own."""

    def __init__(self, app: web.Application, name: str) -> None:
        """It ends with the application."""
        self._executor = ThreadPoolExecutor(1, name)
        app.on_cleanup.append(self._end)
        self._asked = 0

    async def run(self, look: Callable[[], _T]) -> _T:
        """What `look` returns.

        Raises:
            web.HTTPTooManyRequests: `MOST_LOOKUPS` are asked for already.
        """
        if self._asked >= MOST_LOOKUPS:
            # Not 503: for the page, that is a record in no signed checkpoint yet.
            raise web.HTTPTooManyRequests(text="too much is asked for at once: ask again\n")
        self._asked += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, look)
        finally:
            self._asked -= 1

    async def _end(self, _app: web.Application) -> None:
        self._executor.shutdown(cancel_futures=True)


class TreeSite:
    """What others need of a tree to compare what witnesses have cosigned of it."""

    def __init__(self, tree: TreeFile) -> None:
        self._tree = tree

    def add_to(self, app: web.Application) -> None:
        """Adds the routes."""
        # Apart from those of results: an auditor is answered however many players ask for theirs.
        self._lookups = _LookupThread(app, "growth")
        app.router.add_get("/checkpoint", self._checkpoint)
        app.router.add_get(f"/consistency/{{old:{_NUMBER}}}/{{new:{_NUMBER}}}", self._consistency)

    async def _checkpoint(self, _request: web.Request) -> web.Response:
        note = self._tree.note(NEWEST)
        if note is None:
            raise web.HTTPNotFound(text="nothing is signed yet\n")
        return web.Response(text=str(note))

    async def _consistency(self, request: web.Request) -> web.Response:
        old, new = int(request.match_info["old"]), int(request.match_info["new"])
        if not old <= new <= self._tree.size:
            raise web.HTTPNotFound(text=f"the tree did not grow from {old} to {new}\n")
        hashes = await self._lookups.run(lambda: consistency_proof(old, new, self._tree.node))
        return web.Response(text="".join(f"{encode_base64(one)}\n" for one in hashes))


class ProofSite:
    """The proofs of one journal, beside those of its tree."""

    def __init__(
        self, paths: Sequence[Path], tree: TreeFile, policy: str, link: str, damage: Callable[[], str] = lambda: ""
    ) -> None:
        """`paths` are archives, oldest first, and the journal; `policy` is the text that is given along; `link` is the
        address of the page for players, empty for the one under which it was asked for. `damage` gives why the journal
        is not what was signed, empty where it is: the last verdict of a round is not known then."""
        self._paths = paths
        self._tree = tree
        self._tree_site = TreeSite(tree)
        self._policy = policy
        self._link = link
        self._damage = damage
        self._told = False
        """Whether it is logged that a link is too long."""
        self._logged: set[str] = set()
        """What is wrong with the journal: each is logged once, however often it is asked for."""

    def add_to(self, app: web.Application) -> None:
        """Adds the routes."""
        self._lookups = _LookupThread(app, "lookups")
        app.router.add_get("/", self._page)
        app.router.add_get("/proof/{event}", self._event)
        app.router.add_get(f"/round/{{table}}/{{number:{_NUMBER}}}", self._round)
        self._tree_site.add_to(app)

    async def _page(self, _request: web.Request) -> web.Response:
        page = check_page()
        headers = {"Content-Security-Policy": page.content_policy, hdrs.CONTENT_TYPE: "text/html; charset=utf-8"}
        return web.Response(body=page.body, headers=headers)

    async def _event(self, request: web.Request) -> web.Response:
        identity = request.match_info["event"]
        return await self._proven(request, lambda: find_event(self._paths, identity))

    async def _round(self, request: web.Request) -> web.Response:
        table, number = request.match_info["table"], int(request.match_info["number"])
        damage = self._damage()
        if damage == NOT_COMPARED:
            # No error of the server: it is so at each start.
            headers = {hdrs.RETRY_AFTER: "60"}
            return web.Response(status=_TOO_EARLY, headers=headers, text=f"{_NOT_KNOWN} yet: {damage}; ask again\n")
        if damage:
            raise web.HTTPInternalServerError(text=f"{_NOT_KNOWN}: {damage}\n")
        return await self._proven(request, lambda: find_verdict(self._paths, table, number))

    async def _proven(self, request: web.Request, look: Callable[[], Record | None]) -> web.Response:
        base = self._link or f"{request.scheme}://{request.host}/"

        def made() -> str:
            record = look()
            if record is None or record.kind not in VERDICTS:
                raise web.HTTPNotFound(text="no verdict of this name is in the journal, or in an archive given here\n")
            try:
                link = result_link(base, record)
            except ResultLinkError as error:
                link = ""
                if not self._told:
                    self._told = True
                    log.warning("results are shown without a code to print: %s", error)
            proof = prove(self._tree, record, self._paths)
            return json.dumps(shown_result(record, proof, self._policy, link), ensure_ascii=False)

        try:
            return web.Response(text=await self._lookups.run(made), content_type="application/json")
        except (NotWitnessedError, RecordChanged) as error:
            if isinstance(error, NotWitnessedError) and not error.is_changed:
                raise web.HTTPServiceUnavailable(text=f"{error}\n") from error
            self._log_once(error)
            if isinstance(error, RecordMissing):
                raise web.HTTPInternalServerError(text=f"{_NOT_KNOWN}: {error.what}\n") from error
            what = error.what if isinstance(error, RecordChanged) else str(error)
            raise web.HTTPConflict(text=f"{what}\n") from error
        except JournalError as error:
            # It may name files of the house.
            self._log_once(error)
            raise web.HTTPInternalServerError(text=_CANNOT_USE) from error

    def _log_once(self, error: Exception) -> None:
        if str(error) not in self._logged:
            self._logged.add(str(error))
            log.error("%s", error)
