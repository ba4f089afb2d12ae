"""Follows one service for each target, and delivers to all of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

from bridges.following import together
from bridges.webhooks.delivery import Delivery
from bridges.webhooks.keys import TargetKeys, WebhookKeys
from bridges.webhooks.queue import Queue
from bridges.webhooks.sender import WebhookSender
from feed.subscriber import AsyncSubscriber
from hal.clock import Clock

if TYPE_CHECKING:
    from feed.keys import ClientCurve

log = logging.getLogger(__name__)


class WebhookBridge:
    """Delivers the events of one service for as long as `run` runs."""

    def __init__(
        self,
        keys: WebhookKeys,
        secrets: Mapping[str, Sequence[bytes]],
        queue: Queue,
        endpoint: str,
        curve: ClientCurve | None,
        clock: Clock,
        user_agent: str,
    ) -> None:
        """`secrets` are those of each target, by its name.

        Raises:
            AuthorityError: the file of an authority cannot be used.
        """
        self._queue = queue
        self._endpoint = endpoint
        self._curve = curve
        self._senders = [WebhookSender(target, secrets[target.name], clock, user_agent) for target in keys.target]
        self.deliveries = [
            Delivery(target, queue, sender, Random()) for target, sender in zip(keys.target, self._senders, strict=True)
        ]

    async def run(self) -> None:
        """Delivers until it is cancelled.

        Raises:
            QueueError: the queue's disk fails.
        """
        names = {delivery.target.name for delivery in self.deliveries}
        for target, count in self._queue.targets().items():
            if target not in names:
                log.warning(
                    "the queue has %d events of %s, which is not a target any more: they stay, and a target of that "
                    "name continues with them; one that is to begin with now needs another name",
                    *(count, target),
                )
        try:
            await together(*(self._deliver(delivery) for delivery in self.deliveries))
        finally:
            for sender in self._senders:
                await sender.close()

    async def _deliver(self, delivery: Delivery) -> None:
        target: TargetKeys = delivery.target
        while True:
            async with AsyncSubscriber(
                self._endpoint,
                tables=target.tables or None,
                simulated=target.simulated,
                since=delivery.since(),
                curve=self._curve,
            ) as subscriber:
                await delivery.run(subscriber)
