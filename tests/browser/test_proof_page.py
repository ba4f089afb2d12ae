"""The page that checks a result: from a printed code, in languages, saved and offline; with every kind of forgery."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from nacl.signing import SigningKey
from playwright.sync_api import Browser, Page, expect

from audit.transparency.check_page import check_page, result_link, shown_result
from audit.transparency.checkpoints import cosign
from audit.transparency.journal_log import NOT_COMPARED, GrowingTree, find_verdict, origin_of, prove
from audit.transparency.late_seals import LateSeal
from audit.transparency.notes import LOG_KEY, WITNESS_KEY, NoteKey, SignedNote
from audit.transparency.proof_site import ProofSite
from audit.transparency.tree_file import MET, TreeFile, tree_path
from scoreboard.web import NamesAllowed, PageServer, application
from tests.browser.conftest import screen, without_errors
from tests.browser.layout import axe_problems
from tests.fakes.witnessing import LOG, LOG_NOTE_KEY, ORIGIN, TIME_S, policy_of, served
from tests.unit.audit.making import KEY, PUBLIC_KEY, evening, tampering
from tests.unit.audit.transparency.test_crafted_proofs import CASES, IDENTITY, POLICY
from tests.unit.audit.transparency.test_policy import BAD_POLICIES, ML_DSA

WITNESSES = {name: SigningKey(name.encode() * 32) for name in "abc"}


class Shown:
    """A journal with a checkpoint that two of three witnesses cosigned, and what is shown of a round."""

    def __init__(self, folder: Path) -> None:
        self.journal = evening(folder / "journal.sqlite", rounds=20)
        origin = origin_of(self.journal)
        keys = {
            name: (NoteKey(f"witness.test/{name}", WITNESS_KEY, bytes(key.verify_key)), "")
            for name, key in WITNESSES.items()
        }
        self.policy = policy_of(keys, 2, [NoteKey(origin, LOG_KEY, bytes(KEY.verify_key))])
        with TreeFile.open(tree_path(self.journal), origin) as tree:
            note = tree.checkpoint(GrowingTree(tree, [self.journal], PUBLIC_KEY, 1).catch_up()).sign(KEY)
            added = [cosign(note.text, keys[name][0].name, WITNESSES[name], TIME_S) for name in "ab"]
            tree.keep(MET, SignedNote(note.text, (*note.signatures, *added)))
            record = find_verdict([self.journal], "wheel-1", 7)
            assert record is not None
            self.record, self.proof = record, prove(tree, record, [self.journal])

    @contextmanager
    def served(self, damage: str = "") -> Iterator[str]:
        app = application(NamesAllowed.on("127.0.0.1"), [])
        with TreeFile.open(tree_path(self.journal)) as tree:
            ProofSite([self.journal], tree, self.policy, "", lambda: damage).add_to(app)
            with served(PageServer(app)) as url:
                yield url


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return Shown(tmp_path_factory.mktemp("proofs"))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with screen(browser) as context, without_errors(context.new_page()) as page:
        yield page


def test_a_printed_code_leads_to_a_result_that_the_page_verifies_and_saves_for_offline(
    shown: Shown, page: Page, tmp_path: Path
) -> None:
    with shown.served() as url:
        page.goto(result_link(url, shown.record))
        expect(page.get_by_role("status")).to_have_text("VERIFIED")
        items = page.locator("li")
        expect(items).to_have_text(
            [
                "The event and its hash are those of the link",
                f"The event is record {shown.record.n} of {shown.proof.checkpoint.size} in the journal's tree",
                f"The journal {shown.proof.checkpoint.origin} signed the tree",
                "The witness witness.test/a cosigned it: July 4, 2026 at 7:00:00 PM UTC",
                "The witness witness.test/b cosigned it: July 4, 2026 at 7:00:00 PM UTC",
                "Enough witnesses cosigned: 2",
            ]
        )
        expect(page.locator("dd.result")).to_have_text("space 7, face $2")
        assert axe_problems(page) == []
        expect(page.locator("svg.qr")).to_have_attribute("aria-label", result_link(url, shown.record))
        with page.expect_download() as downloading:
            page.get_by_role("button", name="Save this page").click()
        saved = tmp_path / "saved.html"
        downloading.value.save_as(saved)
        # Paper of another event: the round is there, and is not the one on paper.
        other = result_link(url, shown.record._replace(body=b"another"))
        page.goto("about:blank")
        page.goto(other)
        expect(page.get_by_role("status")).to_have_text("NOT VERIFIED")
        expect(page.locator("li.bad")).to_have_text(["The event or its hash is NOT that of the link"])
        # A browser logs an answer of 404 by itself.
        missing = page.context.new_page()
        missing.goto(f"{url}?lang=de#round/wheel-1/99")
        expect(missing.get_by_role("status")).to_have_text("NICHT BESTÄTIGT")
        expect(missing.get_by_text("weder im Journal noch in einem Archiv")).to_be_visible()
        missing.close()
    page.context.set_offline(True)
    page.goto(saved.as_uri())
    expect(page.get_by_role("status")).to_have_text("VERIFIED")
    expect(page.locator("li")).to_have_count(6)
    # Offline too, a person may check other texts: a $2 that was made into a $20.
    page.get_by_text("Event, proof and keys").click()
    event = page.get_by_label("Event, as it was published")
    event.fill(shown.record.body.decode().replace("$2", "$20"))
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("NOT VERIFIED")
    expect(page.locator("li.bad").first).to_contain_text("NOT that of the link")


def test_what_was_found_without_a_seal_is_verified_with_a_reservation_and_a_changed_record_is_named(
    browser: Browser, shown: Shown, tmp_path: Path
) -> None:
    proof = shown.proof._replace(extra=LateSeal(16, "2026-07-04T19:00:08Z", "start").extra())
    saved = tmp_path / "late.html"
    for language, state, text in (
        ("en", "VERIFIED, WITH A RESERVATION", "before seal 16, of the start at July 4, 2026 at 7:00:08 PM UTC."),
        ("de", "GEPRÜFT, MIT VORBEHALT", "Vor Siegel 16, dem des Starts, "),
        ("es", "VERIFICADO, CON UNA RESERVA", "antes del sello 16, del arranque: "),
    ):
        saved.write_bytes(check_page(shown_result(shown.record, proof, shown.policy)).body)
        with screen(browser) as context, without_errors(context.new_page()) as page:
            page.goto(f"{saved.as_uri()}?lang={language}")
            expect(page.get_by_role("status")).to_have_text(state)
            expect(page.locator("p.mark")).to_contain_text(text)
            assert axe_problems(page) == []
    for made, text in (
        ("archiving", "before seal 16, of the archiving at July 4, 2026"),
        ("end of an archive", "before seal 16, of the end of an archive at July 4, 2026"),
        ("the move of a later version", "before seal 16, of the move of a later version at July 4, 2026"),
    ):
        proof = shown.proof._replace(extra=LateSeal(16, "2026-07-04T19:00:08Z", made).extra())
        saved.write_bytes(check_page(shown_result(shown.record, proof, shown.policy)).body)
        with screen(browser) as context, without_errors(context.new_page()) as page:
            page.goto(saved.as_uri())
            expect(page.locator("p.mark")).to_contain_text(text)
    changed = tmp_path / "changed"
    changed.mkdir()
    other = Shown(changed)
    with tampering(other.journal) as connection:
        connection.execute("UPDATE record SET body = CAST(body || ' ' AS BLOB) WHERE n = ?", (other.record.n,))
    # A browser logs an answer of 409 by itself.
    with other.served() as url, screen(browser) as context:
        page = context.new_page()
        page.goto(f"{url}#round/wheel-1/7")
        expect(page.get_by_role("status")).to_have_text("NOT VERIFIED")
        expect(
            page.get_by_text("It is not the event that was signed: it was changed in the journal since.")
        ).to_be_visible()
        expect(page.get_by_text("it is not the record that is in the tree")).to_be_visible()


@pytest.mark.parametrize(
    ("language", "nothing_wrong", "not_known"),
    [
        ("en", "The journal is being checked.", "Which decision of this round is the last is not known. 500: "),
        (
            "de",
            "Das Journal wird gerade geprüft.",
            "Welche Entscheidung dieser Runde die letzte ist, ist nicht bekannt.",
        ),
        ("es", "Se está comprobando el diario.", "No se sabe cuál es la última decisión de esta ronda. 500: "),
    ],
)
def test_until_the_journal_is_compared_the_page_calls_nothing_unverified_and_damage_has_words_of_its_own(
    browser: Browser, shown: Shown, language: str, nothing_wrong: str, not_known: str
) -> None:
    # A browser logs such an answer by itself.
    for damage, state, text in (
        (NOT_COMPARED, "p.state.open", nothing_wrong),
        ("record 7 is missing", "p.state.bad", not_known),
    ):
        with shown.served(damage) as url, screen(browser) as context:
            page = context.new_page()
            page.goto(f"{url}?lang={language}#round/wheel-1/7")
            expect(page.locator(state)).to_be_visible()
            expect(page.get_by_text(text)).to_be_visible()
            assert axe_problems(page) == []


def _with_other_key(policy: str, *, before: bool) -> str:
    """A policy of after a change of the log's key: with another key of the same log, before or after its own."""
    own, rest = policy.split("\n", 1)
    other = f"log {NoteKey(NoteKey.parse(own.split()[1]).name, LOG_KEY, bytes(SigningKey(b'n' * 32).verify_key))}"
    return "\n".join([other, own, rest] if before else [own, other, rest])


GENUINE = {
    "as it is": dict,
    "with a later key": lambda one: {**one, "policy": _with_other_key(one["policy"], before=False)},
    "with a former key": lambda one: {**one, "policy": _with_other_key(one["policy"], before=True)},
}
FORGERIES = {
    "another event": lambda one: {**one, "event": one["event"].replace("$2", "$20")},
    "signed by another": lambda one: {**one, "policy": one["policy"].replace("log ", "# log ", 1)},
    "too few": lambda one: {**one, "policy": one["policy"].replace("group enough 2", "group enough 3")},
    "another time": lambda one: {**one, "proof": _with_other_time(one["proof"])},
}


def _with_other_time(proof: str) -> str:
    """The cosignatures of two witnesses, exchanged."""
    *head, first, second = proof.rstrip("\n").split("\n")
    a, b = first.rpartition(" "), second.rpartition(" ")
    return "\n".join([*head, f"{a[0]} {a[2][:20]}{b[2][20:]}", second]) + "\n"


TOLD = [
    ({"pocket": "12", "index": 9, "color": "red"}, "pocket 12, red"),
    ({"dice": [2, 5, 2], "total": 9}, "dice 2-5-2, total 9"),
    (
        {
            "player": {"cards": ["Jd", "6h"], "total": 6},
            "banker": {"cards": ["3s", "4c"], "total": 7},
            "winner": "banker",
        },
        "player (cards Jd 6h, total 6), banker (cards 3s 4c, total 7), winner banker",
    ),
    ({"hands": [{"cards": ["JK", "2s"], "red": 0}], "void_hands": []}, "hands (cards JK 2s, red cards 0)"),
    (
        {"dealer": {"cards": ["As"], "qualifies": False, "rank": "high_card"}},
        "dealer (cards As, qualifies: no, high card)",
    ),
    # Of a game that the page does not know, by the names of the event; of a correction without a result, none.
    ({"bear_face": "paw", "constructor": [None, 3, {"a": 1}]}, "bear face paw, constructor null 3 (a 1)"),
    ({}, ""),
]


def test_no_forgery_is_shown_as_verified_and_what_an_event_has_is_text(
    shown: Shown, page: Page, tmp_path: Path
) -> None:
    given = shown_result(shown.record, shown.proof, shown.policy)
    for name, forge in {**GENUINE, **FORGERIES}.items():
        path = tmp_path / f"{name}.html"
        path.write_bytes(check_page(forge(given)).body)
        page.goto(path.as_uri())
        expect(page.get_by_role("status")).to_have_text("VERIFIED" if name in GENUINE else "NOT VERIFIED")
    hostile = json.loads(shown.record.body)
    hostile["data"] |= {"table": "<img src=x onerror=alert(1)>", "simulated": True, "house_rules": True}
    path.write_bytes(check_page({**given, "event": json.dumps(hostile)}).body)
    page.goto(path.as_uri())
    expect(page.get_by_text("<img src=x onerror=alert(1)>", exact=True)).to_be_visible()
    expect(page.get_by_text("SIMULATION")).to_be_visible()
    expect(page.get_by_text("HOUSE RULES")).to_be_visible()
    expect(page.locator("img")).to_have_count(0)
    assert page.evaluate("results => results.map((one) => told(one))", [result for result, _ in TOLD]) == [
        words for _, words in TOLD
    ]


OUTCOME = {"verdict": "outcome", "result": {"space": 7, "face": "$2"}}
VOID = {"verdict": "void", "reason": "dealer_call"}
OPEN = {"verdict": "unresolved", "reason": "edges_lost"}


@pytest.mark.parametrize(
    ("language", "data", "rows"),
    [
        (
            "en",
            {"from": OUTCOME, "to": VOID},
            ["void: the round does not count", "called by the dealer", "a correction", "result; space 7, face $2"],
        ),
        (
            "de",
            {"from": OPEN, "to": OUTCOME, "confirmed": True},
            [
                *("Ergebnis", "Feld 7, Bild $2", "die Ansage des Croupiers"),
                "ungeklärt: der Croupier entscheidet; ein Signal ging verloren",
            ],
        ),
        (
            "es",
            {"from": VOID, "to": {"verdict": "void", "reason": "of_a_game"}},
            [
                *("nula: la ronda no cuenta", "of a game", "una corrección"),
                "nula: la ronda no cuenta; decisión del crupier",
            ],
        ),
    ],
)
def test_a_correction_shows_the_decision_in_force_the_one_before_and_by_whom(
    shown: Shown, page: Page, tmp_path: Path, language: str, data: dict[str, object], rows: list[str]
) -> None:
    event = json.loads(shown.record.body)
    event |= {"type": "feltwire.round.corrected.v1", "data": {"table": "wheel-1", "round": 7, **data}}
    path = tmp_path / "page.html"
    path.write_bytes(
        check_page({**shown_result(shown.record, shown.proof, shown.policy), "event": json.dumps(event)}).body
    )
    page.goto(f"{path.as_uri()}?lang={language}")
    expect(page.locator("dd")).to_have_count(len(rows) + 4)
    assert page.locator("dd").all_inner_texts()[3:-1] == rows


def test_the_page_takes_no_crafted_proof_and_answers_each_as_the_command_does(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(check_page().body)
    page.goto(path.as_uri())
    taken = page.evaluate(
        """([cases, policy]) => cases.filter(([, event, proof]) => {
            try { return checks(event, proof, policy, null).every(([good]) => good); } catch { return false; }
        }).map(([name]) => name)""",
        [CASES, POLICY],
    )
    assert taken == [case.name for case in CASES if case.is_good]
    # A key that signs every message: libsodium refuses it.
    one = NoteKey(ORIGIN, LOG_KEY, IDENTITY), b"\x58" + b"\x66" * 31 + IDENTITY
    own = LOG_NOTE_KEY, LOG.sign(b"message").signature
    for is_good, (key, signature) in ((False, one), (True, own)):
        assert key.signed(b"message", signature) == is_good
        script = "([key, signature]) => isSigned(Uint8Array.from(key), utf8('message'), Uint8Array.from(signature))"
        assert page.evaluate(script, [[*key.public], [*signature]]) == is_good
    # What it shows of a number that JavaScript has not, and of a time without a date.
    (late,) = (case for case in CASES if case.name == f"cosigned at {2**63 - 1}")
    (large,) = (case for case in CASES if case.name == "a leaf beyond 2^53")
    for case, text in ((late, f"cosigned it: {2**63 - 1} s"), (large, f"record {2**53 + 2} of {2**53 + 2} ")):
        path.write_bytes(check_page({"event": case.event, "proof": case.proof, "policy": POLICY}).body)
        page.goto(path.as_uri())
        expect(page.get_by_role("status")).to_have_text("VERIFIED")
        expect(page.get_by_text(text)).to_be_visible()


def test_a_witness_whose_key_the_page_cannot_check_is_shown_and_does_not_count(
    shown: Shown, page: Page, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    given = shown_result(shown.record, shown.proof, f"witness pq {ML_DSA}\n{shown.policy}")
    for policy, state in (
        (given["policy"], "VERIFIED"),
        (str(given["policy"]).replace("group enough 2 a", "group enough 3 pq a"), "NOT VERIFIED"),
    ):
        path.write_bytes(check_page({**given, "policy": policy}).body)
        page.goto(path.as_uri())
        expect(page.get_by_role("status")).to_have_text(state)
        expect(page.locator("li.open")).to_have_text(
            "The witness witness.test/pq does not count: this page cannot check its kind of key (ML-DSA-44)"
        )
    assert axe_problems(page) == []


def test_the_page_refuses_each_policy_that_the_command_refuses(shown: Shown, page: Page, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(check_page().body)
    page.goto(path.as_uri())
    read = """texts => texts.map(text => {
        try { policyOf(text); return "taken"; } catch (error) { return error.message; }
    })"""
    good = [make({"policy": shown.policy})["policy"] for make in GENUINE.values()]
    good += ["quorum none", f"witness a {ML_DSA} https://pq.test/\nquorum a", "quorum\tnone\t\n \t\n# \u00e9"]
    assert page.evaluate(read, good) == ["taken"] * len(good)
    texts = [text for text, _ in BAD_POLICIES]
    taken = [text for text, said in zip(texts, page.evaluate(read, texts), strict=True) if said == "taken"]
    assert taken == []
