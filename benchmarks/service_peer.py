"""Subscribers in a process of their own: each reports when it received every nth message.

python -m benchmarks.service_peer FEED ACKS COUNT EVERY
"""

from __future__ import annotations

import sys
from time import monotonic_ns

import zmq


def main() -> None:
    """Receives until it is killed."""
    feed, acks, count, every = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    tells = context.socket(zmq.PUSH)
    tells.connect(acks)
    poller = zmq.Poller()
    received: dict[zmq.Socket[bytes], int] = {}
    for _ in range(count):
        socket = context.socket(zmq.SUB)
        socket.rcvhwm = 0
        socket.subscribe(b"")
        socket.connect(feed)
        poller.register(socket, zmq.POLLIN)
        received[socket] = 0
    while True:
        for socket, _ in poller.poll():
            if not isinstance(socket, zmq.Socket):
                continue
            while True:
                try:
                    socket.recv_multipart(zmq.NOBLOCK)
                except zmq.Again:
                    break
                now_ns = monotonic_ns()
                received[socket] += 1
                if received[socket] % every == 0:
                    tells.send(b"%d" % now_ns)


if __name__ == "__main__":
    main()
