"""What the journal's hard tests share: the recorder, and a folder in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.powercut.recording import build, fast_folder


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorder, compiled."""
    return build(tmp_path_factory.mktemp("recorder"))


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder for files that are made and thrown away by the hundred."""
    with tempfile.TemporaryDirectory(prefix="journal-", dir=fast_folder()) as folder:
        yield Path(folder)
