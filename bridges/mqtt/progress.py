"""How far a bridge to MQTT is."""

from __future__ import annotations

from bridges.mqtt.messages import Signal


class MqttProgress:
    """Numbers of one bridge; any thread may read them."""

    def __init__(self) -> None:
        self.connected = False
        """Whether the broker is connected, and took what was to be published."""
        self.failure = ""
        """Why the broker was not connected last, or did not take what was published, and what is done; empty once it
        did for a while."""
        self.connections = 0
        self.published = 0
        """Messages that the broker took."""
        self.signals: dict[str, Signal] = {}
        """Of each table, as last published."""
