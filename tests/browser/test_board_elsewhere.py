"""Boards that are shown elsewhere: over a video, on a keyed color, in a frame, on a phone, heard, on paper."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Page, expect

from feed import events
from tests.browser.board_page import BoardPage
from tests.browser.layout import HD, axe_problems, fits
from tests.browser.scenes import SCENES, play, roulette_result
from tests.fakes.board_site import TIME, BoardSite, PlayedTable, board_site, roulette
from tests.fakes.venue import venue
from tests.shares import first_of

SOURCE: Final = (640, 360)
"""A browser source of a corner of a video."""
GAP: Final = (320, 6)
"""Between the edge of that and the header."""
KEYED: Final = {"green": (0, 255, 0), "blue": (0, 0, 255), "magenta": (255, 0, 255)}


def picture(page: Page) -> Image.Image:
    """What a mixer gets: where the page draws nothing, nothing."""
    return Image.open(io.BytesIO(page.screenshot(omit_background=True))).convert("RGBA")


def test_an_overlay_has_nothing_behind_its_parts_and_says_simulation_with_the_state_and_the_number(
    shown: BoardPage, site: BoardSite
) -> None:
    table = play(site, partial(roulette_result, simulated=True))
    shown.show(table, overlay="", motion="off")
    assert fits(shown.page, HD, SOURCE) == []
    picked = picture(shown.page)
    assert picked.getpixel(GAP)[3] == 0  # type: ignore[index]
    header = shown.board().locator("header").bounding_box()
    assert header is not None
    assert picked.getpixel((int(header["x"] + 4), int(header["y"] + header["height"] / 2)))[3] == 255  # type: ignore[index]
    shown.expect_state("SIMULATION · RESULT")
    expect(shown.board().locator(".hero .caption")).to_have_text("SIMULATION · ROUND 128")
    expect(shown.board().locator(".hero .giant")).to_have_text("32")
    expect(shown.board().locator(".strip li").filter(visible=True)).to_have_count(6)
    expect(shown.board().locator(".panel, .limits, .game").filter(visible=True)).to_have_count(0)
    assert axe_problems(shown.page) == []
    site.silence(table, None)
    shown.expect_state("SIMULATION · STALE: NO SIGNAL")
    expect(shown.board().locator(".giant")).to_have_count(0)


CUT: Final = """() => [...document.querySelectorAll(".words, .caption")]
  .filter(one => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight * 1.3)
  .map(one => one.innerText)"""
STATES: Final = ("unresolved", "void", "fault", "stale", "corrected")


@pytest.mark.parametrize(("language", "state"), first_of(1, product(("de", "en", "es"), STATES)))
def test_an_overlay_has_the_whole_state_of_a_simulated_table(
    shown: BoardPage, site: BoardSite, language: str, state: str
) -> None:
    table = PlayedTable("roulette-1", "roulette", simulated=True)
    site.play(table, [table.open(), *table.played(map(roulette, range(1, 9))), table.bets(), table.start()])
    last = {
        "unresolved": lambda: [table.call(), table.unresolved("no_number_read", [roulette(5), roulette("00")])],
        "void": lambda: [table.void("spun_before_no_more_bets")],
        "fault": lambda: [table.fault("wheel", "not_level")],
        "stale": lambda: [table.call()],
        "corrected": lambda: [table.outcome(roulette(7)), table.correct(9, roulette(7), roulette(8))],
    }
    site.play(table, last[state]())
    if state == "stale":
        site.silence(table, None)
    shown.page.goto(f"{site.url}?overlay&motion=off&lang={language}")
    expect(shown.board()).to_have_attribute("data-status", state)
    expect(shown.board().locator(".words")).to_contain_text("SIMULA")
    for size in (SOURCE, (400, 400), (360, 640), (1920, 300)):
        assert fits(shown.page, size) == []
        assert shown.page.evaluate(CUT) == []


@pytest.mark.parametrize(
    ("color", "scene"),
    first_of(
        1,
        (
            ("green", "craps"),
            ("green", "red_dog"),
            ("green", "stud_progressive"),
            ("blue", "roulette_corrected"),
            ("blue", "joker_seven"),
            ("blue", "baccarat"),
            ("magenta", "roulette_unresolved"),
            ("magenta", "money_wheel"),
        ),
    ),
)
def test_a_keyer_takes_the_ground_and_nothing_of_the_board(
    shown: BoardPage, site: BoardSite, color: str, scene: str
) -> None:
    shown.page.set_viewport_size({"width": SOURCE[0], "height": SOURCE[1]})
    shown.show(play(site, SCENES[scene]), chroma=color, motion="off")
    pixels = picture(shown.page)
    red, green, blue = KEYED[color]
    assert pixels.getpixel((2, 2)) == (red, green, blue, 255)
    _, wanted_blue, wanted_red = Image.new("RGB", (1, 1), KEYED[color]).convert("YCbCr").tobytes()
    counts = pixels.convert("RGB").convert("YCbCr").getcolors(1 << 20)
    assert counts is not None
    keyed = near = 0
    for count, (_, its_blue, its_red) in counts:  # type: ignore[misc]
        # OBS takes what is within 0.4 of the color, in the plane of its two differences.
        away = ((its_blue - wanted_blue) ** 2 + (its_red - wanted_red) ** 2) ** 0.5 / 255
        if away < 0.02:
            keyed += count
        elif away < 0.4:
            near += count
    assert keyed > 2000
    # The edges of round corners are between the two colors.
    assert near < 800


@contextmanager
def embedding(board: str) -> Iterator[int]:
    """The port of a site whose only page has a board in a frame."""

    class Embedding(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<link rel=icon href=data:><iframe src='{board}'></iframe>".encode())

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Embedding) as server:
        thread = threading.Thread(target=server.serve_forever, name="embedding")
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_a_named_site_frames_a_board_and_no_other_does(context: BrowserContext, site: BoardSite) -> None:
    page = context.new_page()
    with embedding(site.url) as port:
        site.stop()
        site.options["embedded_by"] = [f"http://127.0.0.1:{port}"]
        site.start("g2")
        play(site, SCENES["roulette"])
        framed = page.frame_locator("iframe")
        page.goto(f"http://127.0.0.1:{port}/")
        expect(framed.locator(".hero .giant")).to_have_text("32")
        # The same page under a name that is not given: the browser refuses to frame the board, and says by what.
        with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
            page.goto(f"http://localhost:{port}/")
        expect(framed.locator(".board")).to_have_count(0)
        page.close()


HEARD: Final = """
  window.heard = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (when) {
    heard.push(this.frequency.value);
    return start.call(this, when);
  };
"""
BLOCKED: Final = """
  Object.defineProperty(AudioContext.prototype, "state", { get: () => window.touched ? "running" : "suspended" });
  AudioContext.prototype.resume = function () { window.touched = true; this.dispatchEvent(new Event("statechange")); };
"""


def test_a_result_is_heard_once_and_not_before_the_browser_lets_it(page: Page, site: BoardSite) -> None:
    page.add_init_script(HEARD + BLOCKED)
    table = PlayedTable("roulette-1", "roulette")
    site.play(table, [table.open(), *table.played([roulette(5)]), table.bets(), table.outcome(roulette(7))])
    shown = BoardPage(page, site).show(table, sound="on")
    blocked = page.get_by_text("The browser makes no sound until this page is clicked or a key is pressed.")
    expect(blocked).to_be_visible()
    site.play(table, [table.settle(), table.bets(), table.outcome(roulette(8))])
    shown.expect_sequence(table)
    assert page.evaluate("heard") == []
    page.keyboard.press("Shift")
    expect(blocked).to_have_count(0)
    site.play(table, [table.settle(), table.bets(), table.call()])
    shown.expect_state("NO MORE BETS")
    site.play(table, table.outcome(roulette(9)))
    shown.expect_state("RESULT")
    site.play(table, [table.settle(), table.bets()])
    shown.expect_state("PLACE YOUR BETS")
    site.play(table, table.void("ball_direction"))
    shown.expect_state("NO SPIN")
    assert page.evaluate("heard") == [520, 660, 880, 1320, 440, 330]


def celebration(shown: BoardPage, table: PlayedTable | None = None) -> str:
    """The name of the animation around the result that is shown."""
    hero = shown.board(table).locator(".hero.current")
    name: str = hero.evaluate("one => getComputedStyle(one, '::after').animationName")
    return name


def test_a_winner_is_celebrated_unless_motion_is_reduced(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("roulette-1", "roulette")
    site.play(table, [table.open(), table.bets()])
    shown.page.emulate_media(reduced_motion="no-preference")
    shown.show(table).expect_state("PLACE YOUR BETS")
    site.play(table, table.outcome(roulette(7)))
    shown.expect_state("RESULT")
    assert celebration(shown) == "won"
    shown.page.emulate_media(reduced_motion="reduce")
    assert celebration(shown) == "none"
    shown.page.emulate_media(reduced_motion="no-preference")
    site.play(table, [table.settle(), table.bets()])
    shown.show(table, motion="off").expect_state("PLACE YOUR BETS")
    site.play(table, table.outcome(roulette(8)))
    shown.expect_state("RESULT")
    assert celebration(shown) == "none"


def test_a_result_is_celebrated_as_it_comes_and_never_again(shown: BoardPage, site: BoardSite) -> None:
    shown.page.emulate_media(reduced_motion="no-preference")
    table = PlayedTable("roulette-1", "roulette")
    site.play(table, [table.open(), table.bets()])
    shown.show(table).expect_state("PLACE YOUR BETS")
    site.play(table, table.outcome(roulette(7)))
    shown.expect_state("RESULT")
    assert celebration(shown) == "won"
    # It goes on where something else of the table comes.
    site.play(table, table.event(events.DeviceWarning, device="wheel", warning="dirty", detail=""))
    shown.expect_sequence(table)
    assert celebration(shown) == "won"
    # After a fault between, after no signal, and as the page is loaded it is the same result.
    site.play(table, table.fault("wheel", "not_level"))
    shown.expect_state("FAULT")
    site.play(table, table.event(events.DeviceCleared, device="wheel", fault="not_level", by="ann"))
    shown.expect_state("RESULT")
    assert celebration(shown) == "none"
    site.play(table, [table.settle(), table.bets()])
    shown.expect_state("PLACE YOUR BETS")
    site.silence(table, None)
    shown.expect_state("STALE: NO SIGNAL")
    site.play(table, table.outcome(roulette(8)))
    shown.expect_state("RESULT")
    assert celebration(shown) == "none"
    shown.show(table).expect_state("RESULT")
    assert celebration(shown) == "none"


def test_a_turned_page_celebrates_nothing(shown: BoardPage, site: BoardSite) -> None:
    shown.page.emulate_media(reduced_motion="no-preference")
    tables = [PlayedTable(f"roulette-{number:02}", "roulette") for number in range(10)]
    for table in tables:
        site.play(table, [table.open(), table.bets()])
    here, elsewhere = tables[0], tables[9]
    shown.show().expect_tables(10)
    for table in (elsewhere, here):
        site.play(table, table.outcome(roulette(7)))
    shown.expect_state("RESULT", table=here)
    assert celebration(shown, here) == "won"
    shown.turn()
    shown.expect_state("RESULT", table=elsewhere)
    assert celebration(shown, elsewhere) == "none"
    shown.turn()
    shown.expect_state("RESULT", table=here)
    assert celebration(shown, here) == "none"


@pytest.fixture
def network() -> Iterator[BoardSite]:
    """A site that phones reach."""
    with board_site(host="0.0.0.0", names=["board.example"]) as made:
        made.url = f"http://127.0.0.1:{made.port}/"
        yield made


def test_a_telephone_finds_the_same_board_by_a_code_beside_it(page_in_turn: Page, network: BoardSite) -> None:
    page = page_in_turn
    table = play(network, SCENES["roulette"])
    shown = BoardPage(page, network).show(table, qr="on", lang="es", motion="off")
    address = f"http://board.example:{network.port}/?table=roulette-3&lang=es"
    code = page.get_by_role("img", name=address)
    expect(code).to_be_visible()
    expect(page.locator(".address")).to_have_text(address)
    for size in ((360, 640), HD):
        assert fits(page, size) == []
        board, drawn = shown.board().bounding_box(), page.locator(".around.code").bounding_box()
        assert board is not None and drawn is not None
        assert drawn["x"] >= board["x"] + board["width"] or drawn["y"] >= board["y"] + board["height"]
        square = code.bounding_box()
        assert square is not None and abs(square["width"] - square["height"]) < 1 and square["width"] > 60
    rows = page.evaluate("a => fetch('phone.json?table=roulette-3&lang=es').then(one => one.json())")["rows"]
    drawn_modules = code.locator("path").get_attribute("d")
    assert drawn_modules is not None and drawn_modules.count("M") == "".join(rows).count("1")
    assert axe_problems(page) == []
    page.keyboard.press("q")
    expect(code).to_have_count(0)


def test_a_board_is_shown_without_its_code_where_that_cannot_be_loaded_and_has_it_after_the_next_connection(
    page: Page, network: BoardSite
) -> None:
    page.route("**/phone.json?*", lambda route: route.abort())
    shown = BoardPage(page, network).show(play(network, SCENES["roulette"]), qr="on", motion="off")
    expect(shown.board().locator(".hero .giant")).to_have_text("32")
    failed = page.get_by_text("No QR code: the board's server did not give it. Press Q twice to try again.")
    expect(failed).to_be_visible()
    page.unroute("**/phone.json?*")
    network.stop()
    network.start("g2")
    expect(page.locator(".around.code")).to_be_visible()
    expect(failed).to_have_count(0)


def test_a_keyed_board_has_no_color_of_the_venue(shown: BoardPage, site: BoardSite, tmp_path: Path) -> None:
    site.stop()
    site.options["venue"] = venue(tmp_path, '[colors]\naccent = "#00ff00"')
    site.start("g2")
    table = play(site, SCENES["roulette"])
    dressed = "() => document.documentElement.style.getPropertyValue('--brass')"
    for parameter, color in (("overlay", "#00ff00"), ("chroma", "")):
        shown.show(table, **{parameter: "green"})
        # The colors are set before the strip has its styles.
        expect(shown.page.locator("link[href='around.css']")).to_be_attached()
        assert shown.page.evaluate(dressed) == color


def test_notices_are_shown_though_their_styles_failed_to_load_once(shown: BoardPage, site: BoardSite) -> None:
    shown.page.route("**/around.css", lambda route: route.abort(), times=1)
    shown.show(play(site, SCENES["roulette"]), chroma="pink", motion="off")
    expect(shown.page.locator(".around.notice")).to_contain_text("There is no key color")
    assert shown.page.locator("link[href='around.css']").count() == 1


def test_what_a_parameter_cannot_do_is_said_above_the_board(shown: BoardPage, site: BoardSite) -> None:
    shown.show(play(site, SCENES["roulette"]), chroma="<b>pink</b>", motion="off")
    shown.page.keyboard.press("Q")
    said = shown.page.locator(".around.notice")
    expect(said).to_contain_text("There is no key color “<b>pink</b>”. There are green, blue, magenta.")
    expect(said).to_contain_text("No QR code: only this computer reaches the board's server.")
    assert fits(shown.page, SOURCE) == []


def test_an_evening_is_printed_with_times_and_states_and_what_it_lacks(shown: BoardPage, site: BoardSite) -> None:
    refused, craps = (play(site, SCENES[name]) for name in ("roulette_refused", "craps"))
    site.silence(craps, None)
    page: Any = shown.page
    page.goto(f"{site.url}?print")
    sheets = page.locator(".sheet")
    expect(sheets).to_have_count(2)
    # By their keys, as in a hall.
    assert [one.locator("h2").inner_text() for one in sheets.all()] == ["Craps 1", "Roulette 2"]
    expect(sheets.first.locator(".state")).to_have_text(
        "State: STALE: NO SIGNAL · no signal from the table; the numbers below are old"
    )
    rows = sheets.last.locator("tbody tr")
    assert rows.count() == 41
    link = rows.last.locator("a")
    expect(link).to_have_attribute("href", "http://proofs.test/#round/roulette-2/41")
    expect(page.locator(".proofs")).to_contain_text("to a QR code of it: http://proofs.test/#round/")
    assert rows.last.locator("td").all_inner_texts() == [
        "41", "01/31, 08:00:00 PM", "VOID", "SIMULATION · NO SPIN · the ball ran the same way as the wheel",
    ]  # fmt: skip
    expect(sheets.last.locator("thead .simulation")).to_have_text("SIMULATION · NOT A REAL TABLE")
    expect(sheets.first.locator(".simulation")).to_have_count(0)
    expect(sheets.last.locator(".span")).to_have_text(
        "Rounds 1 to 41; those without a result are listed from round 32 on."
    )
    expect(page.locator(".lacks")).to_contain_text("This is not a record")
    assert axe_problems(page) == []
    page.emulate_media(media="print")
    expect(page.get_by_role("button")).to_be_hidden()
    expect(sheets.last.locator("thead .simulation")).to_be_visible()
    page.emulate_media(media="screen")
    page.goto(f"{site.url}?print&table={refused.name}&lang=de")
    expect(sheets).to_have_count(1)
    expect(page.locator("h1")).to_have_text("Die letzten Runden jedes Tisches")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (TIME, "Made on January 31, 2026 at 8:00:00 PM UTC; all times are in this time zone."),
        (None, "When this was made is not known: the clock of the board's server is not set."),
    ],
)
def test_what_is_printed_names_the_servers_time_and_never_the_browsers(
    shown: BoardPage, site: BoardSite, made: str | None, words: str
) -> None:
    site.wall_time = made
    shown.page.goto(f"{site.url}?print")
    expect(shown.page.locator(".made")).to_contain_text(words)
