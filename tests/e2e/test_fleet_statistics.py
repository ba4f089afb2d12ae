"""`feltwire fleet statistics` from a real nats-server, from a journal and from an export of the same tables."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.test_fleet_cli import feltwire, relay, until_held
from tests.fakes.nats_server import nats_server
from tests.fakes.service_process import service


def numbers(*words: str) -> dict[str, dict[str, object]]:
    """The lines of simulated tables, by their names."""
    shown = feltwire("fleet", "statistics", "show", *words, "--simulated", "--json")
    assert shown.exit_code == 0, shown.output
    return {line["table"]: line for line in json.loads(shown.stdout)["tables"]}


def test_stream_journal_and_export_give_the_same_rows_and_none_twice(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    (tmp_path / "run").mkdir()
    with nats_server() as server, service(tmp_path / "run") as tables:
        feltwire("fleet", "init", server.url, "--venue", "hall")
        empty = feltwire("fleet", "statistics", "collect", data, server.url)
        assert (empty.exit_code, empty.stdout) == (0, "0 new events, 0 that were here\n"), empty.output
        tables.start()
        with relay(server.url, tables.base, "--venue", "hall") as relaying:
            until_held(server, tables, relaying)
            first = feltwire("fleet", "statistics", "collect", data, server.url)
            assert first.exit_code == 0, first.output
        assert tables.stop() == 0
        again = feltwire("fleet", "statistics", "collect", data, f"{server.url}/hall")
        assert again.exit_code == 0, again.output
        exported = feltwire("fleet", "export", server.url).stdout.splitlines()
        in_stream = numbers(data)
        assert sum(int(str(line["events"])) for line in in_stream.values()) == len(exported)
        (tmp_path / "export.jsonl").write_text("\n".join(exported) + "\n")
        # The stream is read from where it was read up to; the file has nothing that is not here.
        third = feltwire("fleet", "statistics", "collect", data, server.url, f"hall={tmp_path / 'export.jsonl'}")
        assert third.stdout.endswith(f"0 new events, {len(exported)} that were here\n"), third.output
        assert numbers(data) == in_stream
        # The journal has what came after the relay ended.
        journalled = [row for row in tables.records() if row.topic]
        from_journal = feltwire("fleet", "statistics", "collect", data, f"hall={tables.journal}")
        assert f"{len(exported)} that were here" in from_journal.stdout, from_journal.output
        whole = numbers(data)
        assert sum(int(str(line["events"])) for line in whole.values()) == len(journalled)
        outcomes = [row for row in journalled if row.kind == "round.outcome"]
        assert sum(int(str(line["outcomes"])) for line in whole.values()) == len(outcomes)
        # A stream that was made anew is read from its beginning.
        server.kill()
        server.forget()
        server.start()
        feltwire("fleet", "init", server.url, "--venue", "hall")
        last = feltwire("fleet", "statistics", "collect", data, server.url)
        assert (last.exit_code, last.stdout.splitlines()[-1]) == (0, "0 new events, 0 that were here"), last.output
