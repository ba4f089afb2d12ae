"""A subscriber with Feltwire's library: every event once, in order, and a notice of every gap, silence and rewrite.

.venv/bin/pip install ./feed
.venv/bin/python examples/subscriber.py [ENDPOINT]
"""

import contextlib
import sys

from feltwire_feed.subscriber import Fact, Subscriber

endpoint = sys.argv[1] if len(sys.argv) > 1 else None
with contextlib.suppress(KeyboardInterrupt), Subscriber(endpoint, since=0, simulated=None) as subscriber:
    for item in subscriber:
        match item:
            case Fact(event=event):
                mark = "SIMULATED " if event.data.simulated else ""
                print(mark + event.id, event.type, event.data, flush=True)
            case notice:  # Gap, Filled, Restarted, Stale, Fresh, Rewritten, ...
                print("--", notice, flush=True)
