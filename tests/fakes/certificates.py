"""An authority of a test's own, and a certificate of it for this computer."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def certificates() -> Iterator[Path]:
    """A folder with an authority, and a certificate of it for this computer."""
    folder = Path(tempfile.mkdtemp(prefix="fwc-"))
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-batch")
    usage = "keyUsage=critical,keyCertSign,cRLSign"  # Python refuses an authority without it from 3.13 on.
    names = "subjectAltName=IP:127.0.0.1,DNS:localhost"
    steps = (
        ("req", "-x509", *key, "-subj", "/CN=ca", "-addext", usage, "-keyout", "ca.key", "-out", "ca.crt"),
        ("req", *key, "-subj", "/CN=hub", "-addext", names, "-keyout", "server.key", "-out", "server.csr"),
        ("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-copy_extensions", "copy",
         "-out", "server.crt"),
    )  # fmt: skip
    try:
        for words in steps:
            subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
        yield folder
    finally:
        shutil.rmtree(folder)
