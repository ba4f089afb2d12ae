"""Token pusher."""
