"""The option of commands that take public Ed25519 keys."""

from __future__ import annotations

from pathlib import Path

import click

_KEY_DIGITS = 64


def public_keys(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[bytes, ...]:
    """Reads public keys, as an option's callback."""
    return tuple(_public_key(value) for value in values)


def _public_key(value: str) -> bytes:
    """Reads 64 hexadecimal digits, as the service's log has them, in groups or not; or a file that holds them."""
    text = value
    try:
        if Path(value).is_file():
            text = Path(value).read_text(encoding="ascii")
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{value} cannot be read: {error}") from error
    digits = "".join(text.split()).lower()
    if len(digits) != _KEY_DIGITS or set(digits) - set("0123456789abcdef"):
        raise click.BadParameter(
            f"{value!r} is no public key; expected {_KEY_DIGITS} hexadecimal digits, as the service's log says them, "
            "or a file that holds them"
        )
    return bytes.fromhex(digits)
