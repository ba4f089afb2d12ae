"""The journal: events and commands, durable before they are published, in hash chains that show later changes."""
