"""The certificate authority that a bridge trusts: a file that `ca` names, or the system's."""

from __future__ import annotations

import ssl


class AuthorityError(ValueError):
    """The file cannot be used; the message names it, whose it is, and the fix."""


def tls_context(ca: str, whose: str) -> ssl.SSLContext:
    """What checks certificates by the authority in `ca`; by those of the system where it is empty.

    Raises:
        AuthorityError: the file cannot be read, or is none.
    """
    try:
        return ssl.create_default_context(cafile=ca or None)
    except OSError as error:
        why = error.strerror or error
        raise AuthorityError(f"{ca}: the authority of {whose} cannot be read: {why}; give a PEM file as ca") from error
