"""The commands of bridges: their help, and what a file, a key or an answer that cannot be used gets."""

from __future__ import annotations

import logging
import re
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest

from bridges.following import log_notice
from bridges.metrics import MqttCollector, MqttProbes, WebhookCollector
from bridges.mqtt.keys import MqttKeys
from bridges.mqtt.progress import MqttProgress
from bridges.webhooks.keys import KINDS, TargetKeys, WebhookKeys
from bridges.webhooks.progress import DeliveryProgress
from controller.cli import main
from controller.configuration.document import parse_document
from controller.configuration.validation import validate
from feed.subscriber import NotShown
from hal.clock import VirtualClock
from hal.probes import Pulse

MQTT = 'broker = "mqtts://broker.example"\nuser = "feltwire"\npassword_file = "mqtt.password"\n'
TARGET = '[[target]]\nname = "till"\nurl = "https://till.example/feltwire"\nsecret_file = "till.secret"\n'
WEBHOOKS = f'queue = "queue.sqlite"\n{TARGET}'
SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"


def run(tmp_path: Path, command: str, text: str) -> Result:
    file = tmp_path / "bridge.toml"
    file.write_text(text)
    return CliRunner().invoke(main, [command, str(file), "ipc:///nobody/there"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "bridge.toml:1: broker: is missing; add broker = "),
        (MQTT.replace("user", "username"), "bridge.toml:2: username: unknown key; did you mean"),
        (MQTT + 'password = "hunter2"\n', "bridge.toml:4: password: unknown key; "),
        (
            MQTT.replace("mqtts://", ""),
            "bridge.toml:1: broker: is not the address of a broker: it has no scheme mqtts://",
        ),
        (MQTT.replace("mqtts://", "mqtts://feltwire:pw@"), "broker: is not the address of a broker: it has more than"),
        (
            MQTT.replace("broker.example", "broker.example:99999"),
            "bridge.toml:1: broker: is not the address of a broker: ",
        ),
        (
            MQTT.replace("mqtts", "mqtt"),
            "bridge.toml:1: broker: the password would cross the network unencrypted; write mqtts://broker.example",
        ),
        (
            MQTT.replace("mqtts://broker.example", "mqtt://localhost"),
            "the password would cross the network unencrypted",
        ),
        (MQTT + 'prefix = "homeassistant"\n', "bridge.toml:4: prefix: is where Home Assistant's own topics are"),
        (MQTT + 'discovery = "ha"\nprefix = "homeassistant"\n', ":5: prefix: is where Home Assistant's own topics are"),
        (MQTT + 'prefix = "felt/#"\n', "bridge.toml:4: prefix: "),
        (MQTT + 'prefix = "feltwire/sim"\n', "bridge.toml:4: prefix: ends as topics of simulated tables do"),
        (MQTT + 'language = "fr"\n', 'bridge.toml:4: language: "fr" is not known; write one of "de", "en", "es"'),
        (MQTT + "simulated = 1\n", "bridge.toml:4: simulated: 1 is not true or false"),
        (MQTT, "mqtt.password: there is no such file; write the password of feltwire there"),
        (MQTT.replace("mqtt.password", "p" * 300), f"{'p' * 300}: the file cannot be read: File name too long"),
        (MQTT + "tables = [", "bridge.toml:4: (syntax): not TOML"),
    ],
)
def test_a_mistake_in_the_file_of_mqtt_is_named_with_line_key_and_fix(text: str, words: str, tmp_path: Path) -> None:
    result = run(tmp_path, "mqtt", text)
    assert result.exit_code == 2
    assert words in result.output
    assert "hunter2" not in result.output


@pytest.mark.parametrize(
    ("mode", "content", "words"),
    [
        (0o644, "hunter2", "(mode 0644); if nobody has, chmod 600 {0}; otherwise remove it, and take another secret: "),
        (0o600, "", "it is empty; "),
        (0o600, "hunter2\nhunter2", "it has several lines; "),
        (None, "", "it is not a file; "),
    ],
)
def test_a_password_that_cannot_be_used_is_called_a_password_and_no_key(
    mode: int | None, content: str, words: str, tmp_path: Path
) -> None:
    password = tmp_path / "mqtt.password"
    if mode is None:
        password.mkdir()
    else:
        password.write_text(content)
        password.chmod(mode)
    found = run(tmp_path, "mqtt", MQTT.replace("mqtt.password", str(password))).output
    assert f"{words.format(password)}write the password of feltwire there, in one line: (umask 077; cat" in found
    assert "key" not in found
    assert "hunter2" not in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (WEBHOOKS.replace("till.example", "127.1"), 'url: "127.1" is neither a name nor a whole address'),
        (WEBHOOKS.replace("till.example", "2130706433"), 'url: "2130706433" is neither a name nor a whole address'),
        (WEBHOOKS.replace("till.example", "%31%32%37.0.0.1"), "is neither a name nor a whole address"),
        ("", "bridge.toml:1: queue: is missing; add queue = "),
        ('queue = "queue.sqlite"\n', "bridge.toml:1: target: is missing"),
        (WEBHOOKS.replace("https", "http"), "bridge.toml:4: target[0].url: is not encrypted; write https://"),
        (WEBHOOKS.replace("https", "ftp"), "bridge.toml:4: target[0].url: is not an https:// address"),
        (WEBHOOKS.replace("https://", "https://ann:pw@"), "target[0].url: has a user, a password or a fragment"),
        (
            WEBHOOKS.replace("till.example", "10.0.0.5"),
            "target[0].url: 10.0.0.5 is not a public address; add private = true",
        ),
        (
            WEBHOOKS.replace("till.example", "169.254.169.254") + "private = true\n",
            "169.254.169.254 is not a public address; none like it is ever taken: give the target an address of a host",
        ),
        (
            WEBHOOKS.replace("till.example", "100.64.0.9"),
            "100.64.0.9 is not a public address; add private = true",
        ),
        (
            WEBHOOKS.replace("till.example", "100.64.0.9") + "private = true\n",
            "till.secret: there is no such file",
        ),
        (
            WEBHOOKS.replace("https://till.example", "http://127.0.0.1"),
            "127.0.0.1 is not a public address; add private",
        ),
        (
            WEBHOOKS + 'types = ["round.result"]\n',
            'bridge.toml:6: target[0].types[0]: "round.result" is not',
        ),
        (
            WEBHOOKS + 'types = ["heartbeat"]\n',
            'types[0]: "heartbeat" is not a durable type of event; write round.',
        ),
        (WEBHOOKS + "types = []\n", "bridge.toml:6: target[0].types: the list has 0"),
        (WEBHOOKS + TARGET, 'bridge.toml:7: target[1].name: "till" is the name of another one'),
        (WEBHOOKS + "most_waiting = 0\n", "bridge.toml:6: target[0].most_waiting: 0 is out of range"),
        (WEBHOOKS + 'secret = "hunter2"\n', "bridge.toml:6: target[0].secret: unknown key; "),
        (WEBHOOKS.replace("till.secret", "s" * 300), f"{'s' * 300}: the file cannot be read: File name too long"),
        (WEBHOOKS, "till.secret: there is no such file; make it with: (umask 077; echo whsec_"),
    ],
)
def test_a_mistake_in_the_file_of_webhooks_is_named_with_its_fix(text: str, words: str, tmp_path: Path) -> None:
    result = run(tmp_path, "webhooks", text)
    assert result.exit_code == 2
    assert words in result.output
    assert "hunter2" not in result.output


def test_every_mistake_of_the_targets_is_named_at_once(tmp_path: Path) -> None:
    text = WEBHOOKS.replace("https", "ftp").replace('secret_file = "till.secret"\n', "") + TARGET.replace(
        "https", "http"
    )
    found = run(tmp_path, "webhooks", text).output
    for words in (
        "bridge.toml:2: target[0].secret_file: is missing",
        "bridge.toml:4: target[0].url: is not an https:// address",
        "bridge.toml:7: target[1].url: is not encrypted",
    ):
        assert words in found


@settings(max_examples=40)
@given(st.text(max_size=200) | st.lists(st.sampled_from([*MQTT.splitlines(), *WEBHOOKS.splitlines()])).map("\n".join))
def test_no_file_raises_what_nobody_handles(text: str) -> None:
    document = parse_document("bridge.toml", text)
    for struct in (MqttKeys, WebhookKeys):
        if document.readable:
            keys, findings = validate(document.values, struct, ())
            assert keys is not None or findings


HOSTS = st.sampled_from(
    ["till.example", "127.0.0.1", "[::1]", "10.0.0.5", "[fe80::1%eth0]", "0x7f.1", "[", "..", "\u2603"]
)


@given(
    scheme=st.sampled_from(["https", "http", "mqtts", "mqtt", "file", ""]),
    host=HOSTS | st.text(max_size=12),
    port=st.sampled_from(["", ":8443", ":0", ":99999", ":x"]),
    path=st.text(max_size=8),
    private=st.booleans(),
)
def test_an_address_is_accepted_or_refused_and_never_raises(
    scheme: str, host: str, port: str, path: str, private: bool
) -> None:
    url = f"{scheme}://{host}{port}/{path}"
    problems = TargetKeys("till", url, "secret", private=private).problems()
    if not problems:
        assert url.startswith("https://") or url.startswith(("http://127.", "http://[::1]"))
    MqttKeys(url, "feltwire", "file").problems()


@pytest.mark.parametrize(("command", "shortest"), [("mqtt", "mqtts://"), ("webhooks", "[[target]]")])
def test_the_help_shows_the_shortest_file_examples_and_exit_codes(command: str, shortest: str) -> None:
    shown = CliRunner().invoke(main, [command, "--help"]).output
    assert shortest in shown
    assert "umask 077" in shown
    assert "Exit codes: 0" in shown


def test_the_types_of_events_are_those_that_a_journal_keeps() -> None:
    assert {"round.outcome", "round.corrected", "device.fault", "table.closed"} <= set(KINDS)
    assert not {"heartbeat", "round.progress"} & set(KINDS)


def test_without_its_client_mqtt_names_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.cli.mqtt.find_spec", lambda name: None)
    result = run(tmp_path, "mqtt", MQTT)
    assert result.exit_code == 2
    assert "requirements/mqtt.lock" in result.output


def with_ca(tmp_path: Path, command: str, ca: Path) -> Result:
    """A run with secrets that can be used, and this authority."""
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    text = MQTT.replace("mqtt.password", str(secret)) if command == "mqtt" else WEBHOOKS
    text = text.replace("till.secret", str(secret)).replace("queue.sqlite", str(tmp_path / "queue.sqlite"))
    return run(tmp_path, command, text + f'ca = "{ca}"\n')


@pytest.mark.parametrize(("ca", "why"), [("absent.pem", "No such file or directory"), ("empty.pem", "")])
@pytest.mark.parametrize(
    ("command", "whose"), [("mqtt", "the broker mqtts://broker.example:8883"), ("webhooks", "the target till")]
)
def test_an_authority_that_cannot_be_read_is_named_with_whose_it_is(
    command: str, whose: str, ca: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "empty.pem").touch()
    result = with_ca(tmp_path, command, tmp_path / ca)
    assert result.exit_code == 2
    assert f"{tmp_path / ca}: the authority of {whose} cannot be read: {why}" in result.output


@pytest.mark.parametrize("command", ["mqtt", "webhooks"])
def test_another_failure_of_the_system_is_not_taken_for_an_authority(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(work: Coroutine[Any, Any, None], _: object) -> None:
        work.close()
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(f"controller.cli.{command}.run_until_signal", fail)
    result = with_ca(tmp_path, command, Path())
    assert isinstance(result.exception, OSError)
    assert "authority" not in result.output


@pytest.mark.parametrize("shared", ["a secret", "the file", "a link to the file"])
def test_a_secret_of_two_targets_is_refused_and_not_shown(shared: str, tmp_path: Path) -> None:
    """The receiver of one could sign what the other takes."""
    other = "whsec_" + "QUJD" * 8
    (tmp_path / "till").write_text(f"{other}\n{SECRET}\n")
    (tmp_path / "till").chmod(0o600)
    shop = tmp_path / ("till" if shared == "the file" else "shop")
    if shared == "a secret":
        shop.write_text(f"{SECRET}\n")
        shop.chmod(0o600)
    elif shared == "a link to the file":
        shop.symlink_to("till")
    text = f'queue = "{tmp_path}/queue.sqlite"\n'
    for name, path in ("till", tmp_path / "till"), ("shop", shop):
        text += TARGET.replace('"till"', f'"{name}"').replace("till.secret", str(path))
    result = run(tmp_path, "webhooks", text)
    assert result.exit_code == 2
    assert (
        f"{shop}: secret_file of shop has a secret of till ({tmp_path}/till); give each its own: (umask 077; "
        f"echo whsec_$(openssl rand -base64 32) > {tmp_path}/shop.secret)"
    ) in result.output
    assert SECRET.removeprefix("whsec_") not in result.output


def test_two_services_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "bridge.toml"
    file.write_text(WEBHOOKS)
    (tmp_path / "till.secret").write_text(SECRET)
    (tmp_path / "till.secret").chmod(0o600)
    file.write_text(WEBHOOKS.replace("till.secret", str(tmp_path / "till.secret")))
    result = CliRunner().invoke(main, ["webhooks", str(file), "tcp://10.0.0.5:5600", "--server", "a", "--server", "b"])
    assert result.exit_code == 2
    assert "a bridge follows one service" in result.output


def test_prefixes_that_differ_have_names_of_their_own_at_the_broker() -> None:
    """A broker ends the earlier one of two bridges with one name."""
    prefixes = ["feltwire", "hall/feltwire", "hall-feltwire", "hall/felt/wire", "hall/felt-wire"]
    names = {MqttKeys("mqtts://broker.example", "feltwire", "file", prefix=one).client_id for one in prefixes}
    assert len(names) == len(prefixes)
    assert "feltwire-feltwire" in names


def test_the_page_names_every_metric_as_it_is_served() -> None:
    served: set[str] = set()
    for collector in (MqttCollector(MqttProgress()), WebhookCollector({"till": DeliveryProgress()})):
        registry = CollectorRegistry()
        registry.register(collector)
        served |= set(re.findall(rb"(?m)^# TYPE (feltwire_(?:mqtt|webhook)_\w+)", generate_latest(registry)))
    page = (Path(__file__).resolve().parents[3] / "docs/bridges.md").read_bytes()
    assert set(re.findall(rb"`(feltwire_(?:mqtt|webhook)_\w+)", page)) == served


@pytest.mark.parametrize(
    ("simulated", "words"),
    [
        (
            True,
            "wheel-1 is simulated, and real tables alone are asked for: it is left out; "
            "to have simulated ones instead, write simulated = true",
        ),
        (
            False,
            "wheel-1 is real, and simulated = true asks for simulated tables alone: it is left out; "
            "to have real ones instead, remove that key",
        ),
    ],
)
def test_a_table_that_is_left_out_is_logged_with_the_key_of_the_file(
    simulated: bool, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    log_notice(logging.getLogger("bridges"), NotShown(table="wheel-1", simulated=simulated))
    assert caplog.record_tuples == [("bridges", logging.WARNING, words)]


def test_a_probe_states_why_the_broker_is_not_connected() -> None:
    progress = MqttProgress()
    probes = MqttProbes(progress, Pulse(VirtualClock(), "the loop of the bridge"))
    without = "the broker is not connected, or does not take what is published"
    assert without in probes.ready(None).problems
    progress.failure = "the broker ended the connection: Server shutting down; trying again"
    assert f"{without}: {progress.failure}" in probes.ready(None).problems
    progress.connected = True
    assert not [problem for problem in probes.ready(None).problems if "broker" in problem]
