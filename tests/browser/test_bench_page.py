"""The technician's screen in a real Chromium: what it shows and what its controls do, by the text on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from controller.games.words import BENCHES
from tests.browser.board_page import HANG_MS
from tests.browser.layout import axe_problems, page_fits
from tests.fakes.bench import MONEY_WHEEL, ROULETTE, captured, config_of
from tests.fakes.bench_site import BenchSite, bench_site
from tests.shares import first_of, one_in

SIC_BO = '[table]\nid = "sic-bo-1"\ngame = "sic_bo"\n[lines]\nbackend = "sim"\n'
BACCARAT = '[table]\nid = "baccarat-1"\ngame = "baccarat"\n[lines]\nbackend = "sim"\n'


expect.set_options(timeout=HANG_MS)


@contextmanager
def opened(page: Page, text: str, *, seed: int = 1, language: str = "en") -> Iterator[BenchSite]:
    """A bench, at which the page looks."""
    with bench_site(text, seed=seed) as site:
        page.set_viewport_size({"width": 1600, "height": 950})
        page.goto(f"{site.url}?lang={language}")
        page.wait_for_function("() => Boolean(document.documentElement.dataset.update)")
        yield site
        page.goto("about:blank")


def seen(site: BenchSite, page: Page) -> None:
    """Waits until the page has shown the last update."""
    page.wait_for_function("n => Number(document.documentElement.dataset.update) >= n", arg=site.number)


def run_until(site: BenchSite, page: Page, words: str, most_s: float = 300) -> None:
    """Lets the bench's time pass until the log of the page has these words."""
    passed = 0.0
    while not any(words in one for one in site.bench.words):
        assert passed < most_s, f"no event said {words!r}"
        site.advance(0.4)
        passed += 0.4
    site.advance(0.4)
    seen(site, page)
    expect(page.locator("#log")).to_contain_text(words)


def test_a_spin_is_followed_from_lines_to_verdict_and_a_refused_one_names_its_rule(page: Page) -> None:
    with opened(page, ROULETTE) as site:
        site.bench.act("speed", speed=4)
        expect(page.locator("#kind-of-devices")).to_have_text("SIMULATION")
        expect(page.locator("#table-name")).to_have_text("roulette-1 · ROULETTE")
        run_until(site, page, "3 revolutions")
        wheel = page.locator('[data-device="wheel"]')
        expect(wheel).to_contain_text("in the track")
        expect(wheel).to_contain_text(re.compile(r"rotor[\d.]+ rpm"))
        expect(page.locator("#headline")).to_have_text("IN PLAY")
        row = page.locator('[data-line="rotor_a"]')
        expect(row).to_contain_text(re.compile(r"\d+/s"))
        expect(row).to_contain_text("ms")
        expect(page.locator("#moved")).to_contain_text("GPIO")
        run_until(site, page, "OUTCOME")
        page.locator('[data-fault="same_direction"]').click()
        expect(page.locator("#log")).to_contain_text("the next round has the fault same_direction")
        site.advance(0.1)
        expect(page.locator('[data-fault="same_direction"]')).to_have_attribute("aria-pressed", "true")
        run_until(site, page, "VOID")
        expect(page.locator("#table-state")).to_have_text("running out")
        verdict = page.locator("#verdict")
        expect(verdict).to_contain_text("ball_direction")
        expect(verdict).to_contain_text("the ball runs with the rotor")
        expect(verdict).to_contain_text("13:47-20.32(m)1")
        expect(verdict).to_contain_text("remove the roulette ball from the wheel")


def test_a_technician_plays_by_hand_and_clears_what_shut_the_table(page: Page) -> None:
    with opened(page, MONEY_WHEEL) as site:
        page.get_by_role("button", name="I am the dealer").click()
        expect(page.locator("#log")).to_contain_text("you are the dealer")
        page.get_by_role("button", name="Hold: I play").click()
        expect(page.locator("#log")).to_contain_text("each round waits for you")
        site.advance(8)
        seen(site, page)
        expect(page.get_by_role("button", name="Play a round now")).to_be_enabled()
        page.get_by_role("button", name="Play a round now").click()
        run_until(site, page, "spun_before_no_more_bets")
        site.advance(40)
        seen(site, page)
        expect(page.locator("#headline")).to_have_text("PLACE YOUR BETS")
        page.get_by_role("button", name="no more bets", exact=True).click()
        expect(page.locator("#log")).to_contain_text("dealer_no_more_bets is pressed")
        run_until(site, page, '"No more bets" (the dealer)')
        page.locator('[data-fault="cable_pulled"]').click()
        expect(page.locator("#log")).to_contain_text("the next round has the fault cable_pulled")
        page.get_by_role("button", name="Play a round now").click()
        run_until(site, page, "FAULT")
        expect(page.locator("#table-state")).to_have_text("shut")
        expect(page.locator("#faults-standing")).to_contain_text("sensor_missing")
        site.advance(15)
        seen(site, page)
        page.get_by_role("button", name="Clear wheel").click()
        expect(page.locator("#log")).to_contain_text("ordered: clear")
        site.advance(1)
        seen(site, page)
        expect(page.locator("#table-state")).not_to_have_text("shut")
        page.locator("#speed").fill("0")
        expect(page.locator("#log")).to_contain_text("time stops")
        site.advance(0.1)
        expect(page.locator("output[for=speed]")).to_have_text("stopped")


def test_the_diagram_is_read_by_keyboard_and_the_page_has_names_for_a_screen_reader(page: Page) -> None:
    with opened(page, MONEY_WHEEL) as site:
        run_until(site, page, "2 revolutions")
        page.get_by_role("button", name="Freeze").click()
        page.locator("#lanes").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#readout")).to_contain_text(re.compile(r"wheel_a · (high|low)"))
        page.keyboard.press("a")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("b")
        expect(page.locator("#readout")).to_contain_text(re.compile(r"A to B [\d.]+ ms, [\d.]+ Hz"))
        page.keyboard.press("ArrowDown")
        expect(page.locator('[data-line="wheel_b"]')).to_have_class(re.compile("selected"))
        before = page.locator("#window-length").text_content()
        page.keyboard.press("+")
        expect(page.locator("#window-length")).not_to_have_text(before or "")
        assert axe_problems(page) == []


def test_a_capture_is_replayed_with_a_cursor_and_two_are_compared(page: Page, tmp_path: Path) -> None:
    config = config_of(MONEY_WHEEL)
    short = captured(config, tmp_path / "short.vcd", "short_spin")
    whole = captured(config, tmp_path / "whole.vcd", "none")
    with opened(page, MONEY_WHEEL) as site:
        site.advance(1)
        drop_file(page, short)
        expect(page.locator("#capture-name")).to_have_text("short.vcd")
        decisions = page.locator("#decisions")
        expect(decisions).to_contain_text("wheel_revolutions")
        expect(decisions).to_contain_text(re.compile(r"decided by wheel_[ab] (rising|falling) at [\d.]+ s"))
        turns = page.locator('[data-device="wheel"] dd').nth(3)
        expect(turns).to_have_text(re.compile(r"^[012]\."))
        page.locator("#capture-cursor").fill("0")
        expect(page.locator("#verdict")).to_contain_text("No verdict yet at the cursor")
        decisions.get_by_role("button").first.click()
        expect(page.locator("#verdict")).to_contain_text("less than three complete revolutions")
        page.locator("#file").set_input_files(whole)
        expect(page.locator("#capture-name")).to_have_text("whole.vcd")
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.locator("#difference")).to_contain_text(
            re.compile(r"whole.vcd and short.vcd \(orange\), differences over 100.00 µs \(readings: 0.05\): \d+")
        )
        differences = page.locator("#differences")
        expect(differences).to_contain_text(re.compile(r"wheel_[ab]: (rises|falls).*(first|second)"))
        expect(differences).to_contain_text(re.compile(r"verdict: OUTCOME.* in the first; VOID.* in the second"))
        expect(differences).to_contain_text(re.compile(r"and \d+ more, which the diagram shows"))
        page.locator("#tolerance").fill("-1")
        page.get_by_role("button", name="Compare", exact=True).click()
        assert page.locator("#tolerance").evaluate("one => !one.validity.valid")
        page.get_by_role("button", name="End the comparison").click()
        expect(differences).to_be_hidden()
        bad = tmp_path / "bad.vcd"
        bad.write_bytes(b"$date today $end\n%%%\n")
        page.locator("#file").set_input_files(bad)
        expect(page.locator("#notice")).to_contain_text("bad.vcd, line")
        page.get_by_role("button", name="Back to the live lines").click()
        expect(page.locator("#capture-bar")).to_be_hidden()
        site.advance(0.2)
        with page.expect_download() as download:
            page.get_by_role("link", name="Save as VCD").click()
        saved = Path(download.value.path()).read_text(encoding="ascii")
        assert "$var wire 1" in saved
        assert "wheel_index" in saved


def test_every_difference_is_listed_and_drawn_and_a_greater_tolerance_has_fewer(page: Page, tmp_path: Path) -> None:
    config = config_of(MONEY_WHEEL)
    whole = captured(config, tmp_path / "whole.vcd", "none")
    moved = tmp_path / "moved.vcd"
    shifted_edge(whole, moved)
    with opened(page, MONEY_WHEEL) as site:
        site.advance(1)
        for file in (moved, whole):
            page.locator("#file").set_input_files(file)
            expect(page.locator("#capture-name")).to_have_text(file.name)
        before = page.locator("#lanes").evaluate(RED_PIXELS)
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.locator("#difference")).to_contain_text("differences over 100.00 µs (readings: 0.05): 1 ·")
        expect(page.locator("#differences")).to_contain_text(
            re.compile(r"dealer_no_more_bets: falls 2.000 ms later in the second")
        )
        page.wait_for_function(f"([n]) => ({RED_PIXELS})(document.querySelector('#lanes')) > n", arg=[before])
        page.locator("#tolerance").fill("5")
        page.locator("#tolerance").press("Enter")
        page.locator("#tolerance").blur()
        expect(page.locator("#difference")).to_contain_text("no difference over 5.000 ms")
        expect(page.locator("#differences")).to_be_hidden()
        page.get_by_role("button", name="Keep the live lines").click()
        expect(page.locator("#capture-name")).to_contain_text("wheel-1")
        expect(page.locator("#compare-with")).to_have_value("2")


RED_PIXELS = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let red = 0;
  for (let at = 0; at < data.length; at += 4) red += data[at] > 90 && data[at + 1] < 70 && data[at + 2] < 70;
  return red;
}"""
"""How many pixels of a diagram mark a difference."""


def shifted_edge(source: Path, target: Path) -> None:
    """A copy of a capture in which the button is let go 2 ms later."""
    lines = source.read_text(encoding="ascii").splitlines()
    (declared,) = [line.split() for line in lines if line.startswith("$var wire") and " dealer_no_more_bets " in line]
    last = max(at for at, line in enumerate(lines) if line == f"0{declared[3]}")
    stamp = max(at for at in range(last) if lines[at].startswith("#"))
    edge = lines.pop(last)
    later = int(lines[stamp][1:]) + 2_000_000
    place = next(
        (at for at in range(stamp, len(lines)) if lines[at].startswith("#") and int(lines[at][1:]) > later), None
    )
    at = len(lines) if place is None else place
    lines[at:at] = [f"#{later}", edge]
    target.write_text("\n".join(lines) + "\n", encoding="ascii")


def drop_file(page: Page, path: Path) -> None:
    """Drops a file on the page, as a mouse does."""
    transfer = page.evaluate_handle(
        "([name, text]) => { const all = new DataTransfer(); all.items.add(new File([text], name)); return all; }",
        [path.name, path.read_text(encoding="ascii")],
    )
    page.dispatch_event("main", "drop", {"dataTransfer": transfer})


def test_lamps_are_drawn_as_they_were_commanded_and_read_back(page: Page) -> None:
    with opened(page, SIC_BO) as site:
        site.bench.act("speed", speed=4)
        run_until(site, page, "OUTCOME")
        board = page.locator('[data-device="lamp_board"]')
        expect(board).to_contain_text(re.compile(r"commanded\d+ of 50 lit"))
        expect(board).to_contain_text("as commanded")
        expect(page.locator('[data-line="lamps"]')).to_be_visible()


def test_no_card_is_on_the_page_before_an_event_names_it(page: Page) -> None:
    with opened(page, BACCARAT) as site:
        site.bench.act("speed", speed=4)
        run_until(site, page, "the cards are dealt")
        expect(page.locator('[data-line="shoe"]')).to_contain_text("sealed")
        lines = json.dumps(
            [[update["lines"], update.get("notes", []), update["views"]] for update in site.bench.updates]
        )
        assert "sealed" in lines
        assert not re.search(r'"[^"]*\b(10|[2-9TJQKA])[shdc]\b', lines)


def test_hostile_names_are_text(page: Page, tmp_path: Path) -> None:
    with opened(page, MONEY_WHEEL) as site:
        name = '<img src=x onerror=alert(1)>\u202e"'
        answer = page.evaluate(
            """async (name) => {
              const socket = new WebSocket('ws://' + location.host + '/live');
              const first = await new Promise((done) => { socket.onmessage = (event) => done(event.data); });
              socket.close();
              const headers = { 'X-Bench-Token': JSON.parse(first).token };
              const send = (path, body) => fetch(path, { method: 'POST', headers, body });
              const order = { action: 'order', verb: 'void', given: { why: '<script>alert(1)</script>' } };
              return [await (await send('captures?name=' + encodeURIComponent(name), 'no capture')).json(),
                      await (await send('action', JSON.stringify(order))).json()];
            }""",
            name,
        )
        assert not answer[0]["done"]
        assert "\u202e" not in answer[0]["words"]
        site.advance(1)
        seen(site, page)
        expect(page.locator("#log")).to_contain_text("<script>alert(1)</script>")
        assert page.locator("#log script").count() == 0


def test_a_stranger_can_do_nothing(context: BrowserContext) -> None:
    with bench_site(MONEY_WHEEL) as site:
        request = context.request
        body = json.dumps({"action": "arm", "fault": "short_spin"})
        for headers in (
            {},
            {"Origin": "http://evil.example"},
            {"Origin": site.url.rstrip("/")},
            {"Origin": site.url.rstrip("/"), "X-Bench-Token": "guess"},
            {"Origin": "http://evil.example", "X-Bench-Token": "guess"},
        ):
            assert request.post(f"{site.url}action", data=body, headers=headers).status == 403
        assert request.get(site.url, headers={"Host": "evil.example"}).status == 421
        assert request.get(f"{site.url}../../etc/passwd").status == 404
        policy = request.get(site.url).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_what_is_no_json_object_is_refused(page: Page, context: BrowserContext) -> None:
    with opened(page, MONEY_WHEEL) as site:
        token = page.evaluate(
            """async () => {
              const socket = new WebSocket('ws://' + location.host + '/live');
              const first = await new Promise((done) => { socket.onmessage = (event) => done(event.data); });
              socket.close();
              return JSON.parse(first).token;
            }"""
        )
        headers = {"Origin": site.url.rstrip("/"), "X-Bench-Token": token}
        for body in (b"", b"[]", b"{", b'{"\xff\xfe":1}'):
            assert context.request.post(f"{site.url}action", data=body, headers=headers).status == 400


def test_the_picture_of_ten_thousand_edges_a_second_stays_bounded(page: Page) -> None:
    from hal.values import Batch, Edge

    with opened(page, MONEY_WHEEL) as site:
        at_ns = site.bench.host.clock.now_ns()
        for second in range(5):
            for part in range(25):
                begin_ns = at_ns + second * 10**9 + part * 40_000_000
                edges = [Edge("wheel_index", n % 2, begin_ns + n * 100_000) for n in range(400)]
                site.bench.host.display.take(Batch(edges, [], begin_ns + 40_000_000))
                site.advance(0.04)
        seen(site, page)
        expect(page.locator('[data-line="wheel_index"]')).to_contain_text("k/s")
        sizes = [len(json.dumps(update)) for update in site.bench.updates[-100:]]
        assert max(sizes) < 12_000


LANGUAGES = ("en", "es", "de")
KEY = re.compile(rf"\b({'|'.join({key.partition('.')[0] for key in BENCHES.words('en') if '.' in key})})\.[a-z]")
"""A key that is shown because it has no words."""
SIZES = ((1280, 720), (390, 844))
MACHINE = '[table]\nid = "machine-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n'
TABLES = {"roulette": ROULETTE, "sic_bo": SIC_BO, "token_pusher": MACHINE.format(game="token_pusher")}


@pytest.mark.parametrize(
    ("table", "language"), first_of(1, [(table, language) for table in TABLES for language in LANGUAGES])
)
def test_the_page_fits_a_laptop_and_a_phone_in_every_language_and_axe_finds_nothing(
    page: Page, table: str, language: str
) -> None:
    with opened(page, TABLES[table], language=language) as site:
        site.bench.act("speed", speed=10)
        run_until(site, page, "OUTCOME")
        assert page_fits(page, *SIZES) == []
        assert page.locator(".untranslated").count() == 0
        assert not re.search(KEY, page.locator("body").inner_text())
        assert axe_problems(page) == []


@pytest.mark.parametrize("language", one_in(3, reversed(LANGUAGES)))
def test_a_compared_capture_fits_in_every_language_and_axe_finds_nothing(
    page: Page, tmp_path: Path, language: str
) -> None:
    config = config_of(MONEY_WHEEL)
    files = [captured(config, tmp_path / f"{fault}.vcd", fault) for fault in ("short_spin", "none")]
    with opened(page, MONEY_WHEEL, language=language) as site:
        site.advance(1)
        for file in files:
            page.locator("#file").set_input_files(file)
            expect(page.locator("#capture-name")).to_have_text(file.name)
        page.locator("#compare").click()
        expect(page.locator("#differences button").first).to_be_visible()
        assert page_fits(page, *SIZES) == []
        assert axe_problems(page) == []


def test_the_language_is_the_one_asked_for_that_of_the_browser_or_chosen_on_the_page(browser: Browser) -> None:
    with bench_site(MONEY_WHEEL) as site:
        context = browser.new_context(locale="de-AT")
        page = context.new_page()
        page.goto(site.url)
        expect(page.locator("#headline")).to_have_text("BITTE SETZEN")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        # Names of lines are those of the file.
        expect(page.locator('[data-line="wheel_a"]')).to_contain_text("wheel_a")
        expect(page.locator('[data-line="wheel_a"]')).to_have_attribute(
            "title", re.compile("Drehgeber des Rads, Kanal A")
        )
        page.locator("#language").select_option("es")
        expect(page.locator("#headline")).to_have_text("HAGAN SUS APUESTAS")
        assert page.url.endswith("?lang=es")
        site.bench.act("arm", fault="short_spin")
        run_until(site, page, "wheel_revolutions")
        expect(page.locator("#verdict")).to_contain_text("la rueda no completó tres vueltas")
        page.goto(f"{site.url}?lang=xx")
        expect(page.locator("#headline")).not_to_have_text("")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        context.close()


def test_a_word_that_a_language_lacks_is_english_and_marked(page: Page) -> None:
    lacking = {key: text for key, text in BENCHES.words("es").items() if key not in ("freeze", "faults")}
    page.route("**/languages/es.json", lambda route: route.fulfill(json=lacking))
    with opened(page, MONEY_WHEEL, language="es"):
        expect(page.locator("#pause")).to_have_text("Freeze*")
        marked = page.locator("#play .untranslated")
        expect(marked).to_have_text("Faults")
        expect(marked).to_have_attribute("lang", "en")


@pytest.mark.parametrize("game", one_in(3, ["token_pusher", "skill_stop_reel", "skill_stop_video"]))
def test_a_machines_page_has_no_dealer(page: Page, game: str) -> None:
    with opened(page, MACHINE.format(game=game), language="es") as site:
        site.bench.act("speed", speed=10)
        run_until(site, page, "OUTCOME")
        page.get_by_role("button", name="Yo soy el encargado").click()
        expect(page.locator("#log")).to_contain_text("usted es el encargado desde la próxima jugada")
        run_until(site, page, "the play has begun" if game == "token_pusher" else "the reels spin")
        site.bench.act("speed", speed=1)
        site.bench.act("order", verb="void", given={"why": "trial"})
        site.advance(0.1)
        seen(site, page)
        expect(page.locator("#verdict")).to_contain_text("decisión del encargado")
        # The code is a name of the feed: it is the same in every language.
        shown = page.locator("body").inner_text().replace("dealer_call", "")
        assert not re.search("(?i)dealer|crupier|croupier", shown)
        assert page.locator('[data-device="dealer"]').count() == 0
