"""The keys of the file of the webhooks."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from bridges.webhooks.addresses import Address, how_to_allow, is_allowed
from feed.data import DATA_TYPES
from feed.data import TYPE_PREFIX as PREFIX
from feed.data import TYPE_SUFFIX as SUFFIX
from feed.subscriber.items import SIMULATED

FINAL: Final = ("round.outcome", "round.void", "round.unresolved", "round.corrected")
"""What gives a round its final state."""
EVERY: Final = "*"
KINDS: Final = tuple(kind.kind for kind in DATA_TYPES if kind.durable)

_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")

Name = Annotated[
    str,
    Meta(
        pattern=r"\A[a-z0-9]([a-z0-9-]*[a-z0-9])?\Z",
        max_length=40,
        description="lowercase letters, digits, hyphens: what its queue, log and metrics name it by",
        examples=["till"],
    ),
]


class TargetKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[target]]`: a web server that receives events."""

    name: Name
    url: Annotated[
        str,
        Meta(
            max_length=1000,
            description="where events are sent: `https://…`; `http://` to an address of this computer alone",
            examples=["https://till.example/feltwire"],
        ),
    ]
    secret_file: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1000,
            description="the file with the secret, mode 0600; a second line is the next secret, to change it",
            examples=["/etc/feltwire/bridges/till.secret"],
        ),
    ]
    tables: Annotated[tuple[str, ...], Meta(max_length=1000, description="ids of tables; without it, all")] = ()
    types: Annotated[
        tuple[str, ...],
        Meta(min_length=1, max_length=100, description='types of events, as `round.outcome`; `["*"]` for every one'),
    ] = FINAL
    simulated: Annotated[bool, Meta(description="simulated tables, and no real ones")] = False
    history: Annotated[
        bool, Meta(description="a table that is new to this target begins with its whole journal, and not with now")
    ] = False
    private: Annotated[bool, Meta(description="its address may be one of this computer or of a private network")] = (
        False
    )
    ca: Annotated[
        str, Meta(max_length=1000, description="the file with its authority (PEM); without it, the system's")
    ] = ""
    most_waiting: Annotated[
        int,
        Meta(ge=1, le=1_000_000, description="events that may wait in its queue", extra={"cite": "ours"}),
    ] = 10_000

    @property
    def types_sent(self) -> frozenset[str] | None:
        """The types of events as events have them; None for every one."""
        return None if EVERY in self.types else frozenset(f"{PREFIX}{kind}{SUFFIX}" for kind in self.types)

    def wants(self, name: str, kind: str) -> bool:
        """Whether events of this type are sent to it of a table, which has the name that a subscriber gives it."""
        table = name.removeprefix(SIMULATED)
        return (
            self.simulated is (table != name)
            and (not self.tables or table in self.tables)
            and (self.types_sent is None or kind in self.types_sent)
        )

    def problems(self) -> list[tuple[str, str, str]]:
        """Each mistake as key, what is wrong, and the fix."""
        found = [*self._url_problems()]
        for number, kind in enumerate(self.types):
            if kind != EVERY and kind not in KINDS:
                found.append(
                    (f"types[{number}]", f'"{kind}" is not a durable type of event', f"write {', '.join(FINAL)}, …")
                )
        if self.ca and self.url.startswith("http://"):
            found.append(("ca", "is for https://", "remove it, or write https:// in url"))
        return found

    def _url_problems(self) -> list[tuple[str, str, str]]:
        example = "write https://till.example/feltwire"
        try:
            parts = urlsplit(self.url)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            return [("url", f"is not an address: {error}", example)]
        if parts.scheme not in ("http", "https") or not host or not self.url.isascii() or " " in self.url:
            return [("url", "is not an https:// address", example)]
        if parts.username is not None or parts.fragment:
            return [("url", "has a user, a password or a fragment", f"{example}; the signature states the sender")]
        address = address_of(host)
        if address is None and (not _HOST.fullmatch(host) or host.replace(".", "").isdigit()):
            # What a client takes for an address is not resolved, and so not checked.
            return [("url", f'"{host}" is neither a name nor a whole address', example)]
        if parts.scheme == "http" and (address is None or not address.is_loopback):
            return [("url", "is not encrypted", "write https://; http:// is for 127.0.0.1 and [::1] alone")]
        if address is not None and not is_allowed(address, private=self.private):
            return [("url", f"{address} is not a public address", how_to_allow([address]))]
        return []


class WebhookKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of the webhooks."""

    queue: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1000,
            description="the file of the queue, made where there is none",
            examples=["/var/lib/feltwire-webhooks/queue.sqlite"],
        ),
    ]
    target: Annotated[tuple[TargetKeys, ...], Meta(min_length=1, max_length=32, description="one section for each")]

    def problems(self) -> list[tuple[str, str, str]]:
        """Each mistake as key, what is wrong, and the fix."""
        found = []
        names = [target.name for target in self.target]
        for number, target in enumerate(self.target):
            if target.name in names[:number]:
                found.append(
                    (f"target[{number}].name", f'"{target.name}" is the name of another one', "give each its own")
                )
            found += [(f"target[{number}].{key}", wrong, fix) for key, wrong, fix in target.problems()]
        return found


def address_of(host: str) -> Address | None:
    """The IP address that a host of a URL is; None where it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
