"""What a computer sees of a real service beside it: its monitoring port, as Prometheus reads it, and its address."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.fakes.service_process import FELTWIRE, listening, service
from tests.fakes.time_limits import HANG_S

PAGE = Path(__file__).parents[2] / "docs" / "service.md"


def test_prometheus_can_scrape_the_port_of_a_running_service_and_finds_what_the_page_lists(tmp_path: Path) -> None:
    with service(tmp_path) as running, listening(running.endpoints, ended=running.ended) as listener:
        running.start("--metrics", "0")
        listener.take_until("round.outcome")
        for _ in range(2):
            # When it has sent the first, it reads this subscription, and counts the connection, before the second.
            listener.take_until("heartbeat")
        port = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", running.log.read_text())
        assert port is not None
        with urlopen(f"http://127.0.0.1:{port[1]}/metrics", timeout=HANG_S) as answer:
            assert answer.status == 200
            text = answer.read().decode()
        for path in ("livez", "readyz", "readyz?table=wheel-1"):
            with urlopen(f"http://127.0.0.1:{port[1]}/{path}", timeout=HANG_S) as answer:
                assert answer.status == 200, path
        samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
        values = {sample.name: sample.value for sample in samples}
        assert values["feltwire_subscribers"] == 1
        assert values["feltwire_lines_dropped_total"] == 0
        assert values["feltwire_connections_refused_total"] == 0
        assert {sample.labels["table"] for sample in samples if sample.name == "feltwire_faults"} == {
            "wheel-1",
            "roulette-1",
        }
        section = PAGE.read_text().partition("## Metrics")[2].partition("\n## ")[0]
        listed = set(re.findall(r"`(feltwire_[a-z_]+)", section))
        found = {family.name for family in text_string_to_metric_families(text)}
        totals = {f"{name}_total" for name in found}
        assert listed <= found | totals, "every metric of the page is there"
        assert {name.removesuffix("_total") for name in listed} >= found, "every metric is on the page"
        assert running.stop() == 0


def test_a_command_without_an_address_finds_the_service_where_systemd_put_it_and_says_which(tmp_path: Path) -> None:
    shell = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "shell")}
    shell.pop("FELTWIRE_RUNTIME", None)
    with service(tmp_path) as running, listening(running.endpoints, ended=running.ended) as listener:
        running.start()
        listener.take_until("heartbeat")
        words = [str(FELTWIRE), "send", "status"]
        sent = subprocess.run(words, capture_output=True, text=True, timeout=HANG_S, check=False, env=shell)
        # Other tests run services of their own beside this one, which begin and end at any time.
        if sent.returncode == 0:
            assert f"to the service at {running.base}" in sent.stderr
        else:
            named = set(re.findall(r"ipc://[^,;]+", sent.stderr.partition("several services")[2]))
            assert running.base in named, sent.stderr
            assert len(named) > 1, sent.stderr
        assert running.stop() == 0
    shell["FELTWIRE_RUNTIME"] = str(tmp_path / "nobody")
    sent = subprocess.run(words, capture_output=True, text=True, timeout=HANG_S, check=False, env=shell)
    assert sent.returncode == 1
    assert "nothing was sent" in sent.stderr
