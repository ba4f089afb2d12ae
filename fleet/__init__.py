"""Tables of many computers on NATS JetStream: the relay that publishes them, and what reads them there."""
