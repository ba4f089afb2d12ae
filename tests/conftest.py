"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# No test depends on the machine's speed: an example may take as long as it takes.
settings.register_profile("feltwire", deadline=None)
settings.load_profile("feltwire")
