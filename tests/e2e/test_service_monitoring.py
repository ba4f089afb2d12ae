"""The monitoring port of a real service, read as Prometheus reads it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.fakes.service_process import listening, service
from tests.fakes.time_limits import HANG_S

PAGE = Path(__file__).parents[2] / "docs" / "service.md"


def test_prometheus_can_scrape_the_port_of_a_running_service_and_finds_what_the_page_lists(tmp_path: Path) -> None:
    with service(tmp_path) as running, listening(running.endpoints, ended=running.ended) as listener:
        running.start("--metrics", "0")
        listener.take_until("round.outcome")
        listener.take_until("heartbeat")
        port = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", running.log.read_text())
        assert port is not None
        with urlopen(f"http://127.0.0.1:{port[1]}/metrics", timeout=HANG_S) as answer:
            assert answer.status == 200
            text = answer.read().decode()
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
