"""Installs a package; the disk is kept.

Nothing of the checkout is imported: its other modules need what the package brings.
"""

import os
import subprocess
import sys
from pathlib import Path

HOST = Path(__file__).resolve().parents[3]
words = Path("/proc/cmdline").read_text().split()
deb = next(word.partition("=")[2] for word in words if word.startswith("vm.deb="))
environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
# The disk is thrown away where it fails: no sync after each file.
done = subprocess.run(["dpkg", "--force-unsafe-io", "-i", str(HOST / deb)], env=environ, check=False)
sys.exit(done.returncode)
