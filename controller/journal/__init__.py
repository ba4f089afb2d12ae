"""The journal: what happened, durable before anybody hears of it, in chains that show every change made later."""
