"""What of a machine's configuration touches play, as one hash: 13:47-20.15(d) wants a certified model."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from controller.configuration.values import TableConfig


def model_values(config: TableConfig) -> dict[str, Any]:
    """The game, its rules and options, and every device with its keys. Wires and ports are not among them."""
    return {
        "game": config.game,
        "rules": config.rules,
        "options": msgspec.to_builtins(config.options),
        "devices": {
            name: {"driver": device.driver, "keys": msgspec.to_builtins(device.config)}
            for name, device in sorted(config.devices.items())
        },
    }


def model_hash(config: TableConfig) -> str:
    """SHA-256 of `model_values`, in hex."""
    return hash_of(model_values(config))


def hash_of(values: Mapping[str, Any]) -> str:
    """SHA-256 of what touches play, in hex."""
    return sha256(msgspec.json.encode(values, order="sorted")).hexdigest()
