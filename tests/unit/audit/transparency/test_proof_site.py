"""The site of proofs, and what a printed result leads to."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import threading
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from aiohttp import web
from aiohttp.typedefs import Handler

from audit.queries import last_of
from audit.records import COMMANDS
from audit.transparency.check_page import MOST_LINK_BYTES, ResultLinkError, check_page, result_link, shown_result
from audit.transparency.checkpoints import Checkpoint, InclusionProof
from audit.transparency.comparing import forks_of_log
from audit.transparency.http_calls import HttpCalls
from audit.transparency.journal_log import GrowingTree, find_verdict, origin_of, prove
from audit.transparency.notes import LOG_KEY, NoteKey, SignedNote
from audit.transparency.proof_site import MOST_LOOKUPS, ProofSite
from audit.transparency.tree import check_growth, leaf_hash
from audit.transparency.tree_file import NEWEST, TreeFile, tree_path
from feed.results import RESULTS
from scoreboard.web import NamesAllowed, PageServer, application
from tests.fakes.time_limits import HANG_S
from tests.unit.audit.making import KEY, PUBLIC_KEY, evening, tampering


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal whose tree has a checkpoint, signed by the log alone, of all but its last eight records."""
    path = evening(tmp_path / "journal.sqlite", rounds=6)
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        size = GrowingTree(tree, [path], PUBLIC_KEY, 1).catch_up()
        tree.keep(NEWEST, tree.checkpoint(size - 8).sign(KEY))
    return path


def asked(
    journal: Path,
    check: Callable[[aiohttp.ClientSession, str], Awaitable[None]],
    link: str = "",
    arrived: Callable[[], object] = lambda: None,
    damage: str = "",
) -> None:
    """Runs a check on a site; `arrived` is called with each request."""

    @web.middleware
    async def arriving(request: web.Request, handler: Handler) -> web.StreamResponse:
        arrived()
        return await handler(request)

    async def run() -> None:
        with TreeFile.open(tree_path(journal)) as tree:
            app: web.Application = application(NamesAllowed.on("127.0.0.1"), [])
            app.middlewares.append(arriving)
            ProofSite([journal], tree, "quorum none\n", link, lambda: damage).add_to(app)
            server = PageServer(app)
            url = await server.start()
            try:
                async with aiohttp.ClientSession() as session:
                    await check(session, url)
            finally:
                await server.stop()

    asyncio.run(run())


async def get(session: aiohttp.ClientSession, url: str) -> tuple[int, str]:
    async with session.get(url) as answer:
        return answer.status, await answer.text()


def test_it_gives_proofs_of_verdicts_and_of_nothing_else(journal: Path) -> None:
    command = next(iter(last_of(journal, COMMANDS, 1)))
    opened = next(one for one in last_of(journal, "wheel-1", 100) if one.kind == "table.opened")
    record = find_verdict([journal], "wheel-1", 2)
    assert record is not None

    async def check(session: aiohttp.ClientSession, url: str) -> None:
        status, text = await get(session, f"{url}round/wheel-1/2")
        shown = json.loads(text)
        assert status == 200
        assert shown["event"] == record.body.decode()
        assert InclusionProof.parse(shown["proof"].encode()).has(record.body)
        assert shown["policy"] == "quorum none\n"
        assert shown["link"] == result_link(url, record)
        assert json.loads((await get(session, f"{url}proof/{record.id}"))[1]) == shown
        for path in (
            f"proof/{command.id}",
            f"proof/{opened.id}",
            "round/@commands/1",
            "round/wheel-1/99",
            "proof/x.y.1",
        ):
            assert (await get(session, url + path))[0] == 404, path
        # It is in no signed checkpoint yet.
        status, text = await get(session, f"{url}round/wheel-2/6")
        assert (status, "is in no signed checkpoint yet" in text) == (503, True)

    asked(journal, check)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("body = CAST(body || ' ' AS BLOB)", "it is not the record that is in the tree: it was changed"),
        ("kind = 'round.opened'", "was changed beside its body: kind is 'round.opened'"),
    ],
)
def test_of_a_verdict_that_was_changed_the_answer_states_that_and_it_is_logged_once(
    journal: Path, caplog: pytest.LogCaptureFixture, change: str, said: str
) -> None:
    with tampering(journal) as connection:
        connection.execute(f"UPDATE record SET {change} WHERE kind = 'round.outcome'")

    async def check(session: aiohttp.ClientSession, url: str) -> None:
        for _ in range(2):
            status, text = await get(session, f"{url}round/wheel-1/2")
            assert status == 409
            assert said in text
            assert str(journal) not in text

    asked(journal, check)
    assert [one.levelname for one in caplog.records if said in one.getMessage()] == ["ERROR"]


def test_while_a_record_after_a_verdict_is_missing_no_verdict_is_shown_as_the_last_of_its_round(
    journal: Path, caplog: pytest.LogCaptureFixture
) -> None:
    verdict = find_verdict([journal], "wheel-1", 2)
    assert verdict is not None
    with tampering(journal) as connection:
        connection.execute("DELETE FROM record WHERE chain = ? AND seq = ?", (verdict.chain, verdict.seq + 2))

    async def check(session: aiohttp.ClientSession, url: str) -> None:
        # However many rounds are asked for, it is one error in the log.
        for number in (2, 1, 2):
            status, text = await get(session, f"{url}round/wheel-1/{number}")
            what = f"1 record of 'wheel-1' is missing, from its record {verdict.seq + 2} on"
            assert (status, text) == (500, f"which verdict of a round is the last is not known: {what}\n")
        assert (await get(session, f"{url}proof/{verdict.id}"))[0] == 200

    asked(journal, check)
    assert caplog.text.count("1 record of 'wheel-1' is missing") == 1


def test_until_the_journal_is_compared_the_answer_is_to_ask_again_which_is_no_error(journal: Path) -> None:
    with TreeFile.open(tree_path(journal)) as tree:
        growing = GrowingTree(tree, [journal], PUBLIC_KEY, whole_every=60)

    async def check(session: aiohttp.ClientSession, url: str) -> None:
        async with session.get(f"{url}round/wheel-1/2") as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (425, "60")
            what = "its records are being compared with what was signed; ask again"
            assert await answer.text() == f"which verdict of a round is the last is not known yet: {what}\n"

    asked(journal, check, damage=growing.damage)


def test_of_a_journal_that_cannot_be_used_no_file_is_named_to_strangers_and_it_is_logged_once(
    journal: Path, caplog: pytest.LogCaptureFixture
) -> None:
    verdict = find_verdict([journal], "wheel-1", 2)
    assert verdict is not None
    journal.rename(journal.with_name("away"))

    async def check(session: aiohttp.ClientSession, url: str) -> None:
        for path in ("round/wheel-1/2", "round/wheel-1/1", f"proof/{verdict.id}"):
            what = "the journal, or an archive of it, cannot be used; the publisher has logged why\n"
            assert await get(session, f"{url}{path}") == (500, what)

    asked(journal, check)
    assert [one.levelname for one in caplog.records if f"{journal}: there is no such file" in one.message] == ["ERROR"]


def test_while_the_journal_is_not_what_was_signed_no_verdict_is_shown_as_the_last_of_its_round(journal: Path) -> None:
    async def check(session: aiohttp.ClientSession, url: str) -> None:
        status, text = await get(session, f"{url}round/wheel-1/2")
        assert status == 500
        assert text == "which verdict of a round is the last is not known: record 7 is missing\n"
        # That an event was signed, its proof shows all the same.
        verdict = find_verdict([journal], "wheel-1", 2)
        assert verdict is not None
        assert (await get(session, f"{url}proof/{verdict.id}"))[0] == 200

    asked(journal, check, damage="record 7 is missing")


def test_a_link_that_is_too_long_for_a_code_is_logged_once(journal: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def check(session: aiohttp.ClientSession, url: str) -> None:
        for number in (1, 2):
            assert json.loads((await get(session, f"{url}round/wheel-1/{number}"))[1]).get("link") is None

    asked(journal, check, f"http://{'proofs.' * 40}example/")
    assert caplog.text.count("results are shown without a code to print: the link of wheel-1.") == 1


def test_whatever_strangers_ask_for_one_thread_reads_for_them_too_much_is_refused_and_the_log_shows_its_growth(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrivals, all_there = 0, threading.Event()
    readers: list[str] = []

    def arrived() -> None:
        nonlocal arrivals
        arrivals += 1
        if arrivals == MOST_LOOKUPS + 4:
            # What was begun by then waits; the last one has been begun as well when this is called.
            asyncio.get_running_loop().call_soon(all_there.set)

    def slow(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(*given: Any) -> Any:
            readers.append(threading.current_thread().name)
            assert all_there.wait(HANG_S)
            return read(*given)

        return reading

    monkeypatch.setattr("audit.transparency.proof_site.find_verdict", slow(find_verdict))
    with TreeFile.open(tree_path(journal)) as tree:
        signed = [tree.checkpoint(size) for size in (11, 12)]

    async def check(session: aiohttp.ClientSession, url: str) -> None:
        unknown = (get(session, f"{url}round/wheel-1/{99 + number}") for number in range(MOST_LOOKUPS + 3))
        answers = asyncio.as_completed(list(unknown))
        assert [(await next(answers))[0] for _ in range(3)] == [429] * 3
        assert await forks_of_log(HttpCalls(session), url, signed) == []
        assert [(await answer)[0] for answer in answers] == [404] * MOST_LOOKUPS
        # Afterwards there is room again.
        assert (await get(session, f"{url}round/wheel-1/2"))[0] == 200

    asked(journal, check, arrived=arrived)
    assert readers == ["lookups_0"] * (MOST_LOOKUPS + 1)


def test_others_can_ask_for_the_checkpoint_and_for_the_proof_that_the_tree_only_grew(journal: Path) -> None:
    async def check(session: aiohttp.ClientSession, url: str) -> None:
        checkpoint = Checkpoint.parse(SignedNote.parse((await get(session, f"{url}checkpoint"))[1].encode()).text)
        with TreeFile.open(tree_path(journal)) as tree:
            before = tree.checkpoint(11)
        status, text = await get(session, f"{url}consistency/11/{checkpoint.size}")
        assert status == 200
        hashes = [base64.b64decode(line) for line in text.splitlines()]
        check_growth(11, checkpoint.size, before.root, checkpoint.root, hashes)
        assert (await get(session, f"{url}consistency/11/9"))[0] == 404
        assert (await get(session, f"{url}consistency/11/99999"))[0] == 404

    asked(journal, check)


def test_the_page_loads_nothing_and_its_policy_names_its_own_script_and_style(journal: Path) -> None:
    async def check(session: aiohttp.ClientSession, url: str) -> None:
        async with session.get(url) as answer:
            text = await answer.text()
            policy = answer.headers["Content-Security-Policy"]
        for name, found in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
            (inner,) = re.findall(found, text, re.DOTALL)
            digest = base64.b64encode(sha256(inner.encode()).digest()).decode()
            assert f"{name}-src 'sha256-{digest}'" in policy
        assert not re.search(r"(src|href)=", text)
        assert "unsafe" not in policy

    asked(journal, check)


def test_a_link_on_paper_has_at_most_300_bytes_and_names_event_and_leaf(journal: Path) -> None:
    record = find_verdict([journal], "wheel-1", 2)
    assert record is not None
    link = result_link("http://10.0.0.5:8092/", record)
    identity, _, printed = link.partition("#")[2].rpartition("/")
    assert identity == record.id
    assert base64.urlsafe_b64decode(printed + "=") == leaf_hash(record.body)
    longest = record._replace(id=f"{'t' * 64}.{'0' * 16}.{'9' * 12}")
    assert len(result_link("https://proofs.casino-night.example/", longest)) <= MOST_LINK_BYTES
    with pytest.raises(ResultLinkError, match="give a shorter --link"):
        result_link(f"https://{'x' * 250}.example/", record)


def test_what_an_event_has_never_ends_the_data_of_the_page(journal: Path) -> None:
    record = find_verdict([journal], "wheel-1", 2)
    assert record is not None
    with TreeFile.open(tree_path(journal)) as tree:
        proof = prove(tree, record, [journal])
    hostile = record._replace(body=b'{"id": "</script><script>alert(1)</script><!--@SCRIPT@"}')
    page = check_page(shown_result(hostile, proof, "quorum none")).body.decode()
    assert page.count("<script") == 3
    assert page.count("</script>") == 3
    (given,) = re.findall(r'id="given">(.*?)</script>', page)
    assert json.loads(given)["event"] == hostile.body.decode()


def test_its_words_are_in_every_language(journal: Path) -> None:
    words = json.loads((Path("audit") / "transparency" / "page" / "words.json").read_text())
    assert set(words) == {"en", "es", "de"}
    script = (Path("audit") / "transparency" / "page" / "check.js").read_text()
    for language, found in words.items():
        assert list(found) == list(words["en"]), language
        for word, text in found.items():
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", words["en"][word])) or (
                word.endswith(".not")
            )
    used = set(re.findall(r'\bt\("([a-z_.]+)"', script)) | {"not_found", "not_yet", "not_known", "changed"}
    assert used <= set(words["en"])
    (unseen,) = re.findall(r"UNSEEN = new Set\((.*?)\)", script)
    structs = [struct for result in RESULTS.values() for struct in msgspec.json.schema(result)["$defs"].values()]
    for struct in structs:
        for name, kind in struct["properties"].items():
            assert name in json.loads(unseen) or f"is.{name}" in words["en"], name
            for value in kind.get("enum", ()):
                assert {f"is.{name}.{value}", f"is.{value}"} & set(words["en"]), f"{name}: {value}"


def test_the_key_of_the_log_is_named_after_the_journal(journal: Path) -> None:
    assert re.fullmatch(r"feltwire/[0-9a-f]{32}", origin_of(journal))
    key = NoteKey(origin_of(journal), LOG_KEY, bytes(KEY.verify_key))
    assert NoteKey.parse(str(key)) == key
