"""The alert rules and the dashboard: read by Prometheus's own promtool, with every fault planted once."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path

from bridges.metrics import MqttCollector, WebhookCollector
from bridges.mqtt.progress import MqttProgress
from bridges.webhooks.progress import DeliveryProgress
from command_line.publishing_metrics import PublisherCollector
from controller.service.counters import LiveNumbers, ServiceCounters
from controller.service.metrics import CounterCollector
from feed.codes import CODES
from fleet.connection import NatsAddress
from fleet.metrics import RelayCollector
from fleet.relay import Relay, RelayPlan
from hal.clock import VirtualClock
from tests.fakes.time_limits import HANG_S
from tests.fakes.witnessing import published

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "systemd" / "monitoring"
RULES = FOLDER / "feltwire.rules.yml"
DASHBOARD = FOLDER / "feltwire.dashboard.json"
TABLE = {"instance": "127.0.0.1:9123", "table": "wheel-1"}


@cache
def promtool() -> str:
    made = subprocess.run(
        ["sh", str(ROOT / "firmware" / "debian.sh"), "promtool"],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def run(*words: str, cwd: Path = FOLDER) -> str:
    done = subprocess.run([promtool(), *words], capture_output=True, text=True, timeout=HANG_S, check=False, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def series(name: str, values: str, **labels: str) -> dict[str, str]:
    inside = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return {"series": f"{name}{{{inside}}}", "values": values}


def plan(tmp_path: Path, tests: list[dict[str, object]]) -> Path:
    """A file for `promtool test rules`: JSON is YAML."""
    path = tmp_path / "rules_test.yml"
    path.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "10s", "tests": tests}))
    return path


def firing(given: list[dict[str, str]], name: str, expected: list[dict[str, object]], at: str) -> dict[str, object]:
    return {
        "interval": "30s",
        "input_series": given,
        "alert_rule_test": [{"eval_time": at, "alertname": name, "exp_alerts": expected}],
    }


def test_prometheus_takes_the_rules_and_the_scrape_jobs() -> None:
    assert "SUCCESS" in run("check", "rules", str(RULES))
    assert "SUCCESS" in run("check", "config", "prometheus.yml")


def test_every_fault_that_is_planted_raises_its_alert(tmp_path: Path) -> None:
    given = [series("feltwire_fault", "1x4", **TABLE, device="wheel", fault=code) for code in CODES]
    expected: list[dict[str, object]] = [
        {
            "exp_labels": {**TABLE, "device": "wheel", "fault": code, "severity": "warning"},
            "exp_annotations": {
                "summary": f"Table wheel-1: wheel: {code}",
                "action": f"docs/reasons.md, {code}; then feltwire send clear device=wheel --table wheel-1",
            },
        }
        for code in CODES
    ]
    run("test", "rules", str(plan(tmp_path, [firing(given, "FeltwireFault", expected, "1m")])))


PLANTED = {
    "FeltwireDown": [series("up", "0x20", job="feltwire", instance="a")],
    "FeltwireHalted": [series("feltwire_table_state", "1x20", **TABLE, state="halted")],
    "FeltwireRestarts": [series("feltwire_uptime_seconds", "9 1 " * 12, instance="a")],
    "FeltwireTableShut": [series("feltwire_table_state", "1x20", **TABLE, state="shut")],
    "FeltwireRefusals": [
        series("feltwire_verdicts_total", "0+1x80", **TABLE, verdict="round.void", reason="ball_direction"),
        series("feltwire_verdicts_total", "0+0x80", **TABLE, verdict="round.outcome", reason=""),
    ],
    "FeltwireSlowJournal": [
        series("feltwire_event_seconds_bucket", "0+0x80", instance="a", le="0.5"),
        series("feltwire_event_seconds_bucket", "0+5x80", instance="a", le="1.0"),
        series("feltwire_event_seconds_bucket", "0+5x80", instance="a", le="+Inf"),
    ],
    "FeltwireOverloaded": [series("feltwire_late_ticks_total", "0+300x40", instance="a")],
    "FeltwireNobodyReads": [
        series("feltwire_subscribers", "0x60", instance="a", job="feltwire"),
        series("feltwire_table_state", "1x60", instance="a", job="feltwire", table="wheel-1", state="open"),
    ],
    "FeltwireStrangers": [series("feltwire_connections_refused_total", "0+5x40", instance="a")],
    "FeltwireRelayDisconnected": [series("feltwire_relay_connected", "0x20", instance="a")],
    "FeltwireRelayBehind": [series("feltwire_relay_lag", "2000x40", **TABLE)],
    "FeltwireBridgeDown": [series("up", "0x20", job="feltwire-bridges", instance="a")],
    "FeltwireBrokerDisconnected": [series("feltwire_mqtt_connected", "0x20", instance="a")],
    "FeltwireWebhookFailing": [series("feltwire_webhook_failing", "1x60", instance="a", target="till")],
    "FeltwireWebhookFull": [series("feltwire_webhook_full", "1x60", instance="a", target="till")],
    "FeltwireWebhookMissing": [series("feltwire_webhook_missing_total", "7x20", instance="a", target="till")],
    "FeltwireWebhookRewritten": [series("feltwire_webhook_rewritten_total", "1x20", instance="a", target="till")],
    "FeltwireWebhookPassed": [series("feltwire_webhook_passed", "2x20", instance="a", target="till")],
    "FeltwirePublisherDown": [series("up", "0x20", job="feltwire-publish", instance="a")],
    "FeltwireNotWitnessed": [
        series("feltwire_log_size", "9x40", instance="a"),
        series("feltwire_log_cosigned", "5x40", instance="a"),
    ],
    # Found in the first turn after a start too: it is never measured as 0.
    "FeltwireWitnessWentBack": [series("feltwire_witness_went_back_total", "1x20", instance="a", witness="charity")],
    "FeltwireLogStopped": [
        # What it knew before it stopped: all of it was cosigned.
        series("feltwire_log_size", "9x40", instance="a"),
        series("feltwire_log_cosigned", "9x40", instance="a"),
        series("feltwire_log_stopped", "1x40", instance="a"),
    ],
    "FeltwireHistoryRewritten": [series("feltwire_relay_table", "1x20", **TABLE, state="rewritten")],
}
"""For each other alert, what is measured while its cause lasts."""


BRIDGES = (MqttCollector(MqttProgress()), WebhookCollector({"till": DeliveryProgress()}))


def rules() -> dict[str, str]:
    """The expression of each alert, by its name."""
    found = {}
    for rule in RULES.read_text().split("- alert: ")[1:]:
        expression = re.search(r"expr: (?:>\n)?(.*?)\n +(?:for|labels):", rule, re.DOTALL)
        assert expression is not None, rule
        found[rule.split("\n", 1)[0]] = " ".join(expression[1].split())
    return found


def test_each_alert_fires_with_its_cause_and_no_other_does(tmp_path: Path) -> None:
    assert set(PLANTED) | {"FeltwireFault"} == set(rules())
    quiet: list[dict[str, object]] = [
        {
            "interval": "30s",
            "input_series": given,
            "alert_rule_test": [
                {"eval_time": "9m", "alertname": other, "exp_alerts": []} for other in rules() if other != name
            ],
        }
        for name, given in PLANTED.items()
    ]
    run("test", "rules", str(plan(tmp_path, quiet)))
    silent = [
        firing(given, name, [], "32m" if name == "FeltwireRefusals" else "12m") for name, given in PLANTED.items()
    ]
    done = subprocess.run(
        [promtool(), "test", "rules", str(plan(tmp_path, silent))],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    said = done.stdout + done.stderr
    do_not_fire = [name for name in PLANTED if f"alertname: {name}," not in said]
    assert do_not_fire == [], f"{do_not_fire} do not fire: {said}"


def names_in(text: str) -> set[str]:
    return {re.sub(r"_(bucket|count|sum|total)$", "", name) for name in re.findall(r"feltwire_[a-z_]+", text)}


def test_every_query_asks_for_what_is_measured(tmp_path: Path) -> None:
    service = CounterCollector(ServiceCounters(), VirtualClock(), LiveNumbers)
    relay = RelayCollector(
        Relay(RelayPlan(NatsAddress("127.0.0.1", 4222, tls=False), "hall", (), "relay"), VirtualClock())
    )
    with published(tmp_path) as (_, one):
        collectors = (service, relay, *BRIDGES, PublisherCollector(one))
        measured = {family.name for collector in collectors for family in collector.collect()}
    panels = json.loads(DASHBOARD.read_text())["panels"]
    queries = [*rules().values(), *(target["expr"] for panel in panels for target in panel["targets"])]
    asked = names_in(" ".join(queries))
    assert asked, "there are queries"
    assert asked <= measured
    recorded = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries)]
    file = tmp_path / "queries.yml"
    file.write_text(json.dumps({"groups": [{"name": "queries", "rules": recorded}]}))
    assert "SUCCESS" in run("check", "rules", str(file))
