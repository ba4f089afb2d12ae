"""The feed: event types, publisher, history, subscriber and keys. Knows no device."""
