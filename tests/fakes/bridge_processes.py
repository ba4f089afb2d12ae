"""Bridges as processes of their own, which can be killed."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from typing import Any

from bridges.mqtt import bridge as mqtt_bridge
from bridges.mqtt.bridge import MqttBridge
from bridges.mqtt.keys import MqttKeys
from bridges.webhooks import delivery
from bridges.webhooks.bridge import WebhookBridge
from bridges.webhooks.keys import WebhookKeys
from bridges.webhooks.queue import Queue
from bridges.webhooks.signature import read_secrets
from hal.clock import SystemClock

_CONTEXT = multiprocessing.get_context("forkserver")
# The imports cost most of a start: they are made once.
_CONTEXT.set_forkserver_preload([__name__])


class BridgeProcess:
    """A bridge that runs."""

    def __init__(self, log: Path, work: Callable[..., Coroutine[Any, Any, None]], *arguments: object) -> None:
        self._log = log
        self._process = _CONTEXT.Process(target=_run, args=(log, work, *arguments), daemon=True)
        self._process.start()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.join()

    def check(self) -> None:
        """Fails where it has ended by itself."""
        assert self._process.is_alive(), f"the bridge has ended:\n{self._log.read_text()}"


async def mqtt(keys: MqttKeys, password: str, base: str, expiry_s: int, renew_ns: int) -> None:
    """A bridge to MQTT, with shorter times than those of a venue."""
    mqtt_bridge.EXPIRY_S = expiry_s  # type: ignore[attr-defined]
    mqtt_bridge.RENEW_NS = renew_ns  # type: ignore[misc]
    mqtt_bridge.LONGEST_WAIT_NS = renew_ns  # type: ignore[misc]
    await MqttBridge(keys, password, base, None, Random()).run()


async def webhooks(keys: WebhookKeys, base: str, longest_ns: int) -> None:
    """The bridge to web servers, with a shorter wait than that of a venue."""
    delivery.LONGEST_WAIT_NS = longest_ns  # type: ignore[misc]
    secrets = {target.name: read_secrets(Path(target.secret_file)) for target in keys.target}
    await WebhookBridge(keys, secrets, Queue(Path(keys.queue)), base, None, SystemClock(), "feltwire/test").run()


def _run(log: Path, work: Callable[..., Coroutine[Any, Any, None]], *arguments: object) -> None:
    logging.basicConfig(filename=log, level=logging.INFO, format="%(levelname)s %(message)s", force=True)
    try:
        asyncio.run(work(*arguments))
    except BaseException:
        logging.getLogger(__name__).exception("the bridge ends")
        raise
