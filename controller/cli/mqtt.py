"""`feltwire mqtt`: publishes tables to an MQTT broker, for Home Assistant and others."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridges.authority import AuthorityError
from bridges.mqtt.keys import MqttKeys
from bridges.secrets import read_lines
from command_line.exit_codes import FATAL
from command_line.metrics_port import MetricsPortError, metrics_option, metrics_port
from command_line.pulsed_loop import run_until_signal
from controller.cli.bridge_command import begin, bridge_options, read_keys, refuse, service_of
from feed.secret_file import SecretFileError
from hal.install_words import how_to_install

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from hal.probes import Probes


@click.command("mqtt")
@bridge_options
@metrics_option
def command(file: Path, endpoint: str | None, key: Path | None, servers: tuple[str, ...], metrics: int | None) -> None:
    """Publish the tables of a service to an MQTT broker, with entities for Home Assistant.

    FILE names the broker and the account. The shortest is:

    \b
        broker = "mqtts://broker.example"
        user = "feltwire"
        password_file = "/etc/feltwire/bridges/mqtt.password"

    Each table has a retained state, PREFIX/TABLE/state, with the time at which it was true; PREFIX/status names the
    tables that are live, and nothing else is to be believed: the last will names none. What is retained expires 10 s
    after the bridge is gone. There are no command topics. The broker must have MQTT 5, and TLS unless it is on this
    computer. Without an ENDPOINT the service that runs on this computer is followed.

    \b
    Examples:
        (umask 077; echo PASSWORD > mqtt.password)
        feltwire mqtt mqtt.toml
        feltwire mqtt mqtt.toml tcp://10.0.0.5:5600 --key bridge.secret --server pit.public --metrics 9126
        mosquitto_sub -h broker.example --cafile ca.pem -u reader -P ... -v -t 'feltwire/#'

    Exit codes: 0, also after Ctrl-C; 1 if the port of the metrics cannot be opened; 2 for a file, an address or a key
    that cannot be used, a certificate that is not trusted, and a broker that cannot hold tables. An account that the
    broker does not let in, or does not let publish, is tried again.
    """
    keys = read_keys(file, MqttKeys)
    if find_spec("aiomqtt") is None:
        raise click.UsageError(f"this needs the client of MQTT: {how_to_install('mqtt')}")
    from bridges.mqtt.bridge import BrokerRefusedError, MqttBridge

    how = f"write the password of {keys.user} there, in one line: (umask 077; cat > {keys.password_file})"
    service = service_of(endpoint, key, servers)
    pulse = begin("the loop of the bridge")
    try:
        password, *more = read_lines(Path(keys.password_file), how)
        if more:
            raise SecretFileError(f"{keys.password_file}: it has several lines; {how}")
        bridge = MqttBridge(keys, password, service.base, service.curve)

        def served() -> tuple[Collector, Probes]:
            from bridges.metrics import MqttCollector, MqttProbes

            return MqttCollector(bridge.progress), MqttProbes(bridge.progress, pulse)

        with metrics_port(metrics, served):
            run_until_signal(bridge.run(), pulse)
    except MetricsPortError as error:
        click.echo(error, err=True)
        sys.exit(FATAL)
    except (SecretFileError, AuthorityError, BrokerRefusedError) as error:
        refuse(error)
