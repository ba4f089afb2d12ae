"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No test depends on the machine's speed: making and running an example may take as long as it takes.
settings.register_profile("feltwire", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("feltwire")
