"""What is registered by name: lists of ours, packages of others by their metadata, and what their files are."""
