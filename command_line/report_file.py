"""Writes a report: an HTML file, or a PDF that Chromium prints of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import click

from command_line.exit_codes import FATAL
from hal.plain_text import plain

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PRINTING_S: Final = 120
"""After which a browser that prints nothing is ended (ours)."""


class ReportFile:
    """A new file, .html or .pdf; it gets its name when it is complete."""

    def __init__(self, output: Path, *, private: bool = False) -> None:
        """Checks the name, and for a PDF that there is a browser, before anything is computed.

        A `private` file is its owner's alone: mode 0600.

        Raises:
            click.UsageError: the name ends otherwise or is taken, or no browser is installed.
        """
        if output.suffix not in (".html", ".pdf"):
            raise click.BadParameter(f"{output}: give a name that ends in .html or .pdf", param_hint="-o")
        if output.exists():
            raise click.UsageError(
                f"{output} exists already, and a report is never replaced; name another file with -o"
            )
        self._output = output
        self._private = private
        self._browser = _browser() if output.suffix == ".pdf" else ""

    def write(self, page: str) -> None:
        """Writes the page, or prints it. Ends the program with 1 where the browser prints nothing.

        Raises:
            click.UsageError: the file cannot be written.
        """
        beside = self._output.with_name(self._output.name + ".part")
        try:
            if self._private:
                beside.unlink(missing_ok=True)
                beside.touch(mode=0o600)
            if self._browser:
                _print(self._browser, page, beside)
            else:
                beside.write_text(page, encoding="utf-8")
            beside.rename(self._output)
        except OSError as error:
            raise click.UsageError(f"{self._output}: it cannot be written ({error.strerror})") from error


def _browser() -> str:
    found = next((path for path in map(shutil.which, _BROWSERS) if path is not None), None)
    if found is None:
        raise click.UsageError("a .pdf needs Chromium: sudo apt install chromium; or write a .html and print that")
    return found


def _print(browser: str, page: str, output: Path) -> None:
    """Has the browser print the page. It runs with a profile of its own, and the page loads nothing."""
    with tempfile.TemporaryDirectory(prefix="feltwire-report-") as folder:
        source, made = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        # Chromium refuses to run as root with its sandbox.
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        words = [browser, "--headless", "--disable-gpu", "--no-first-run", *root, f"--user-data-dir={folder}/profile"]
        words += ["--no-pdf-header-footer", f"--print-to-pdf={made}", source.as_uri()]
        try:
            ended = subprocess.run(words, capture_output=True, timeout=_PRINTING_S, check=False)
            stated = ended.stderr.decode(errors="replace").strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            stated = [f"it did not end within {_PRINTING_S} s"]
        if not made.exists() or not made.stat().st_size:
            reason = plain(stated[0]) if stated else "it stated nothing"
            click.echo(click.style(f"{browser} printed nothing: {reason}; write a .html", fg="red"), err=True)
            sys.exit(FATAL)
        shutil.copyfile(made, output)
