"""A board that follows JetStream is the board that follows the service, also after its server was killed."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from fleet.stream_endpoint import StreamEndpoint
from fleet.stream_subscriber import JetStreamSubscriber
from scoreboard.gateway import Source
from tests.browser.board_page import BoardPage
from tests.fakes.board_site import BoardSite, board_site
from tests.fakes.feed_tables import FeedTables, feed_tables
from tests.fakes.nats_server import nats_server
from tests.fakes.relaying import VENUE, relay_beside

TABLE = "wheel-1"


def stream_source(endpoint: str) -> Source:
    def opened(simulated: bool | None) -> JetStreamSubscriber:
        return JetStreamSubscriber(StreamEndpoint.parse(endpoint), simulated=simulated)

    return Source(endpoint, open=opened)


def played(service: FeedTables) -> int:
    """Plays whole rounds, and returns the number of the last event."""
    service.play(60)
    while b"round.settled" not in service.bodies(TABLE)[-1]:
        service.play()
    return len(service.bodies(TABLE))


def opened(page: Page, site: BoardSite) -> BoardPage:
    page.goto(f"{site.url}?turn=off")
    return BoardPage(page, site)


def drawn(page: BoardPage, last: int, venue: str = "") -> str:
    """The board as it is drawn, once it has an event and is not stale."""
    of_now = f'.board[data-sequence="{last}"]:not([data-status="stale"])'
    expect(page.page.locator(of_now)).to_be_visible()
    # A page celebrates what comes while it looks, and not what it finds as it connects again.
    return page.page.locator(of_now).inner_html().replace(venue, "").replace(" celebrated", "")


def test_the_page_is_the_same_from_jetstream_and_from_the_service(context: BrowserContext) -> None:
    with (
        nats_server() as server,
        feed_tables(TABLE) as service,
        relay_beside(server.address, service),
        board_site([Source(service.base)]) as near,
        board_site([stream_source(f"{server.url}/{VENUE}")]) as far,
        board_site([stream_source(f"{server.url}/*")]) as hall,
        board_site([stream_source(f"{server.url}/marina")]) as lost,
    ):
        pages = [opened(context.new_page(), site) for site in (near, far, hall, lost)]
        last = played(service)
        own = drawn(pages[0], last)
        assert 'class="strip"' in own
        assert drawn(pages[1], last) == own
        venue = f'<span class="venue" dir="auto">{VENUE}</span>'
        expect(pages[2].board().locator(".venue")).to_have_text(VENUE)
        assert drawn(pages[2], last, venue) == own
        expect(pages[3].page.locator(".empty")).to_contain_text(f"the server has no venue marina; it has: {VENUE}")
        server.kill()
        pages[1].expect_state("STALE: NO SIGNAL")
        last = played(service)
        server.start()
        assert drawn(pages[1], last) == drawn(pages[0], last)
