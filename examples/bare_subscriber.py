"""A subscriber with nothing but pyzmq: it prints events, reports gaps, and requests the missing events.

.venv/bin/python examples/bare_subscriber.py ipc:///run/feltwire/feed ipc:///run/feltwire/history
"""

import json
import sys

import zmq

if len(sys.argv) != 3:
    sys.exit(f"two addresses are needed, of the feed and of the history\n{__doc__}")
feed, history = zmq.Context.instance().socket(zmq.SUB), zmq.Context.instance().socket(zmq.DEALER)
for prefix in (b"v1/", b"sim/v1/"):  # always with the slash: v1/table-1 would match table-10 as well
    feed.subscribe(prefix)
feed.connect(sys.argv[1])
history.connect(sys.argv[2])
places: dict[str, tuple[str, int]] = {}


def show(body: bytes) -> None:
    """Prints an event, unless it was printed already."""
    event = json.loads(body)
    table = event["data"]["table"]
    if "sequence" in event:
        epoch, seq = event["id"].rsplit(".", 2)[1], int(event["sequence"])
        if seq <= places.get(table, ("", 0))[1]:
            return
        places[table] = epoch, seq
    print("SIMULATED" if event["data"]["simulated"] else "real", event["id"], event["type"], flush=True)


def fill(table: str) -> None:
    """Requests all missing events. Without an answer in 2 s, the next heartbeat requests them again."""
    epoch, seq = places.get(table, ("", 0))
    history.send_multipart([b"1", b"since", table.encode(), epoch.encode(), b"%d" % seq])
    while history.poll(2000):
        _, kind, *rest = history.recv_multipart()
        if kind == b"event":
            show(rest[1])
        elif kind == b"more":
            fill(table)
            return
        else:
            if kind == b"error":  # "rewritten": the journal no longer holds the event that we have
                print("--", rest[0].decode(), flush=True)
            return


while True:
    topic, body = feed.recv_multipart()
    event = json.loads(body)
    table = event["data"]["table"]
    seen = places.get(table, ("", 0))[1]
    if event["type"] == "feltwire.heartbeat.v1":
        if event["data"]["last"] > seen:  # the last event was lost, or we have just connected
            fill(table)
        continue
    if int(event.get("sequence", seen + 1)) > seen + 1:
        print(f"-- {table}: {seen + 1} to {int(event['sequence']) - 1} are missing", flush=True)
        fill(table)
    show(body)
