"""Whatever stands in a stream, on a live subject or in an address: a subscriber of JetStream ignores it or names it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from feed.events import decode
from feed.subscriber import Fact, Notice
from fleet.connection import NatsAddressError
from fleet.stream_endpoint import StreamEndpoint
from fleet.stream_subscription import StreamSubscription
from fleet.streams import StoredMessage
from tests.fakes.feed_model import ModelJournal, ModelTable

JOURNAL = ModelJournal()
TABLE = ModelTable(JOURNAL, "wheel-1", "e1")
BODIES = [TABLE.open()[1], TABLE.heartbeat()[1]]
OF_TABLE = "v1.hall.wheel-1"
ROOTS = [*(f"feltwire.{root}{OF_TABLE}" for root in ("", "sim.", "live.")), "feltwire.live.v1"]
KINDS = ["table.opened", "heartbeat", "@relay.x", "\x1b[2J"]

subjects = st.one_of(
    st.text(max_size=40),
    st.builds(".".join, st.tuples(st.sampled_from(ROOTS), st.sampled_from(KINDS))),
)
urls = st.builds("{}://{}/{}".format, st.sampled_from(["nats", "tls"]), st.text(max_size=20), st.text(max_size=20))


def cut(body: bytes, at: int, to: int) -> bytes:
    return body[:at] + bytes([to]) + body[at + 1 :]


bodies = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(BODIES),
    st.builds(cut, st.sampled_from(BODIES), st.integers(0, 600), st.integers(0, 255)),
)
headers = st.dictionaries(st.sampled_from(["Nats-Stream-Source", "Nats-Msg-Id"]), st.text(max_size=20), max_size=2)


@given(
    st.lists(st.tuples(st.booleans(), subjects, headers, bodies), max_size=12), st.sampled_from(["hall", "", "other"])
)
def test_messages_of_any_kind_are_items_or_nothing(
    messages: list[tuple[bool, str, dict[str, str], bytes]], venue: str
) -> None:
    core = StreamSubscription("nats://hub/x", venue, since=0, simulated=None)
    core.connected(0)
    for number, (live, subject, held, body) in enumerate(messages, 1):
        if live:
            core.live(subject, body, number)
        else:
            core.stored(StoredMessage(subject, number, held, body), number)
        list(core.requests(number))
        core.on_time(number * 1_000_000_000)
    for item in core.take():
        assert isinstance(item, Fact | Notice)
        if isinstance(item, Notice):
            assert str(item).isprintable()
        else:
            assert decode(item.body) == item.event


@given(st.one_of(st.text(max_size=40), urls))
def test_an_address_is_one_or_is_refused_with_one_that_can_be_used(text: str) -> None:
    try:
        endpoint = StreamEndpoint.parse(text)
    except NatsAddressError as error:
        assert "nats://" in str(error) or "lower-case" in str(error)
        return
    assert StreamEndpoint.parse(str(endpoint)) == endpoint._replace(
        address=endpoint.address._replace(user="", password="")
    )
