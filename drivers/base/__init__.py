"""Shared parts of device drivers: protocols, device specifications, debounced levels and sensor health."""
