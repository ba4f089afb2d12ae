"""The exit codes of the command `feltwire`."""

from __future__ import annotations

FATAL = 1
"""Exit code for a fatal error."""

BAD_CONFIGURATION = 2
"""Exit code for files that cannot be used."""

NOT_VERIFIED = 3
"""Exit code for a journal that does not verify."""

REFUSED = 4
"""Exit code for a command that a service refuses."""

NOT_COMPLETE = 5
"""Exit code for streams without a difference of which nothing vouches that they are complete."""

NOT_READ = 141
"""Exit code where the answer was not read: what a shell has for a program whose reader ended (128 and SIGPIPE)."""
