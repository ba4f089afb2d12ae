"""The way of a token at one time, for a drawing."""

from __future__ import annotations

from drivers.base.view import DeviceView


class TokenChuteView(DeviceView, frozen=True, kw_only=True, tag="token_chute"):
    """Two optics in the token's way."""

    covered: tuple[bool, ...]
    """Of each of them, in the token's way."""
    jammed: bool
