"""The bridge to web servers: each event that a target asked for is sent to it by an HTTPS POST, signed, at least once.

    service ──AsyncSubscriber──► Queue, on disk ──lane of table 1──POST, wait for 2xx──► target
               (per target)                     └─lane of table 2──POST, wait for 2xx──►

An event and the position after it become durable together, and an event leaves the queue when its target answered 2xx:
wherever the bridge is killed, it continues without a loss. What a target received and the bridge does not know of is
sent again: a target drops doubles by `id`.

Of one table a target receives the events one after the other, in order; a table whose event is refused does not hold up
the others, until what waits behind it fills the queue. That is of all tables of a target together; while it is full no
more is read for the target, and the journal of the service keeps what follows.
"""
