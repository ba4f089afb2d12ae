"""A receiver of webhooks, to copy: it verifies each request, takes each event once, and prints it.

    python examples/webhook_receiver.py SECRET_FILE [PORT]

It is plain HTTP on this computer, for a try, or behind a web server that has the certificate. It needs Python alone.
"""

from __future__ import annotations

import base64
import hmac
import json
import sys
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


# verification: begin
def verify(secret: str, headers: Mapping[str, str], body: bytes, now_s: float, window_s: int = 300) -> None:
    """Raises ValueError unless whoever has the secret sent this body within the window."""
    sent, time_s = headers["webhook-id"], headers["webhook-timestamp"]
    if not time_s.isdecimal() or abs(now_s - int(time_s)) > window_s:
        raise ValueError("too old, or from the future: is the clock of both computers set?")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    right = base64.b64encode(hmac.digest(key, f"{sent}.{time_s}.".encode() + body, "sha256")).decode()
    if not any(hmac.compare_digest(f"v1,{right}", one) for one in headers["webhook-signature"].split(" ")):
        raise ValueError("not signed with this secret")
    # verification: end


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 for what is verified: only then the sender stops sending it."""

    secret = ""
    seen: set[str] = set()  # noqa: RUF012 (keep it on a disk, with what follows from an event, in one transaction)

    def do_POST(self) -> None:
        """Takes one event."""
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        try:
            verify(self.secret, {name.lower(): one for name, one in self.headers.items()}, body, time.time())
        except (KeyError, TypeError, ValueError) as error:
            self.send_error(401, str(error))
            return
        event = json.loads(body)
        if event["id"] not in self.seen:
            self.seen.add(event["id"])
            mark = "SIMULATED " if event["data"]["simulated"] else ""
            print(mark + event["id"], event["type"], event["data"].get("result", ""), flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


if __name__ == "__main__":
    Receiver.secret = Path(sys.argv[1]).read_text(encoding="ascii").split()[0]
    HTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 8099), Receiver).serve_forever()
