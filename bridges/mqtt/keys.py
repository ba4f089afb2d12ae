"""The keys of the file of the bridge to MQTT."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from bridges.mqtt.words import Language

TLS_PORT: Final = 8883
PLAIN_PORT: Final = 1883
BIRTHS: Final = "homeassistant/status"
"""Where Home Assistant publishes its birth message, whatever its discovery prefix is, unless it has another topic."""
_LEVELS = r"\A[a-z0-9]([a-z0-9-]*[a-z0-9])?(/[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\Z"


class Broker(NamedTuple):
    """The address of a broker."""

    host: str
    port: int
    tls: bool

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.tls else 'mqtt'}://{host}:{self.port}"


class MqttKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of the bridge to MQTT."""

    broker: Annotated[
        str,
        Meta(
            max_length=300,
            description="the broker, `mqtts://HOST` or `mqtts://HOST:PORT`; `mqtt://127.0.0.1` on this computer alone",
            examples=["mqtts://broker.example"],
        ),
    ]
    user: Annotated[
        str, Meta(min_length=1, max_length=200, description="the bridge's own account", examples=["feltwire"])
    ]
    password_file: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1000,
            description="the file with its password, mode 0600",
            examples=["/etc/feltwire/bridges/mqtt.password"],
        ),
    ]
    ca: Annotated[
        str, Meta(max_length=1000, description="the file with the broker's authority (PEM); without it, the system's")
    ] = ""
    prefix: Annotated[
        str,
        Meta(pattern=_LEVELS, max_length=100, description="lowercase letters, digits, hyphens: what topics begin with"),
    ] = "feltwire"
    discovery: Annotated[
        str,
        Meta(
            pattern=_LEVELS,
            max_length=100,
            description="Home Assistant's discovery prefix: what the topics of entities begin with",
        ),
    ] = "homeassistant"
    language: Annotated[Language, Meta(description="of the names of entities")] = "en"
    tables: Annotated[tuple[str, ...], Meta(max_length=1000, description="ids of tables; without it, all")] = ()
    simulated: Annotated[bool, Meta(description="simulated tables, and no real ones; marked SIMULATION")] = False

    @property
    def client_id(self) -> str:
        """The name of the bridge at the broker: one for each prefix, which has no underscore."""
        return "feltwire-" + self.prefix.replace("/", "_")

    @property
    def birth_topics(self) -> tuple[str, ...]:
        """Where Home Assistant's birth message may be."""
        return tuple(dict.fromkeys((BIRTHS, f"{self.discovery}/status")))

    @property
    def address(self) -> Broker:
        """The broker's address.

        Raises:
            ValueError: it is none.
        """
        parts = urlsplit(self.broker)
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname:
            raise ValueError("it has no scheme mqtts:// and no host")
        if parts.username is not None or parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError("it has more than a host and a port")
        tls = parts.scheme == "mqtts"
        port = (TLS_PORT if tls else PLAIN_PORT) if parts.port is None else parts.port
        return Broker(parts.hostname, port, tls)

    def problems(self) -> list[tuple[str, str, str]]:
        """Each mistake as key, what is wrong, and the fix."""
        found = []
        try:
            address = self.address
        except ValueError as error:
            fix = "write mqtts://broker.example, and the account into user and password_file"
            return [("broker", f"is not the address of a broker: {error}", fix)]
        if not address.tls and not is_loopback(address.host):
            wrong = "the password would cross the network unencrypted"
            found.append(("broker", wrong, f"write mqtts://{address.host}; mqtt:// is for 127.0.0.1 alone"))
        if self.ca and not address.tls:
            found.append(("ca", "is for mqtts://", "remove it, or write mqtts:// in broker"))
        if self.prefix.split("/")[0] in (one.split("/")[0] for one in self.birth_topics):
            found.append(("prefix", "is where Home Assistant's own topics are", "write another one, as feltwire"))
        if self.prefix.split("/")[-1] == "sim":
            found.append(("prefix", "ends as topics of simulated tables do", "write another one, as feltwire"))
        return found


def is_loopback(host: str) -> bool:
    """Whether a host is this computer by its address, whatever a name server answers."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
