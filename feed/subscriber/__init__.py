"""Follows the feed of a service: delivers every fact once, in order, and a notice of every gap, silence and rewrite.

    from feltwire_feed.subscriber import Fact, Subscriber

    with Subscriber() as subscriber:
        for item in subscriber:
            match item:
                case Fact(event=event):
                    print(event.type, event.data)
                case notice:
                    print(notice)

It needs pyzmq and msgspec. Inside Feltwire's repository the package is `feed`.
"""

from .asynchronous import AsyncSubscriber, TableSubscriber
from .blocking import Subscriber
from .items import (
    CaughtUp,
    Fact,
    Filled,
    Fresh,
    FromBeginning,
    Gap,
    Halted,
    Item,
    Joined,
    Missing,
    Notice,
    NotShown,
    Position,
    Refused,
    Restarted,
    Rewritten,
    Stale,
    Trouble,
    Waiting,
)
from .subscription import Subscription

__all__ = [
    "AsyncSubscriber",
    "CaughtUp",
    "Fact",
    "Filled",
    "Fresh",
    "FromBeginning",
    "Gap",
    "Halted",
    "Item",
    "Joined",
    "Missing",
    "NotShown",
    "Notice",
    "Position",
    "Refused",
    "Restarted",
    "Rewritten",
    "Stale",
    "Subscriber",
    "Subscription",
    "TableSubscriber",
    "Trouble",
    "Waiting",
]
