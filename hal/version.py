"""The version of the software, which tests compare with that of the project: asking the installation reads files."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
SOFTWARE: Final = f"feltwire {VERSION}"
"""As events, pages and reports name it."""
