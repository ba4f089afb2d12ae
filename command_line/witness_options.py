"""The options of commands that know witnesses: a policy, and the keys of logs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from audit.transparency.notes import LOG_KEY, NoteError, NoteKey
from audit.transparency.policy import PolicyError, WitnessPolicy
from command_line.plain_output import show

_NO_WITNESS: Final = "quorum none\n"


class GivenPolicy(NamedTuple):
    """A policy with its text."""

    text: str
    policy: WitnessPolicy
    is_given: bool = True
    """Whether it is of a file, and not the one that asks for no witness in place of that."""

    def with_log(self, key: NoteKey) -> str:
        """The text, for those who are to check this log: its key is put in front where the policy does not have it.

        Raises:
            click.UsageError: the policy has this key of another log: nobody could check this one with it.
        """
        if key in self.policy.logs:
            return self.text
        for one in self.policy.logs:
            if one.public == key.public:
                raise click.UsageError(
                    f"the policy has the key of this log as that of {one.name}, an earlier journal: write a new policy "
                    f'with "log {key}" in place of that line, and keep the old one for the proofs of that journal'
                )
        return f"log {key}\n{self.text}"


def _policy(_ctx: click.Context, _param: click.Parameter, path: Path | None) -> GivenPolicy:
    if path is None:
        return GivenPolicy(_NO_WITNESS, WitnessPolicy.parse(_NO_WITNESS), is_given=False)
    try:
        # As its bytes: a policy has its own rules for the end of a line.
        text = path.read_bytes().decode()
        policy = WitnessPolicy.parse(text)
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path} cannot be read: {error}") from error
    except PolicyError as error:
        raise click.BadParameter(f"{path}: {error}") from error
    for name, key in policy.uncounted.items():
        unchecked = "its key is of ML-DSA-44, which this version cannot check"
        show(f"{path}: the witness {name} ({key.name}) never counts: {unchecked}", fg="yellow", err=True)
    return GivenPolicy(text, policy)


def policy_option(*, required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds `--policy`: the command gets it as `given`. Without it no witness is asked for."""
    return click.option(
        "--policy",
        "given",
        required=required,
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        callback=_policy,
        help="Keys of logs and witnesses, and how many must cosign (C2SP tlog-policy).",
    )


def log_keys(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, list[NoteKey]]:
    """The callback of an option that takes keys of logs, or files with one a line: by the origin of their log."""
    found: dict[str, list[NoteKey]] = {}
    for value in values:
        try:
            lines = Path(value).read_text(encoding="utf-8").split("\n") if _is_file(value) else [value]
            for line in lines:
                if line.strip() and not line.startswith("#"):
                    key = NoteKey.parse(line.strip())
                    if key.kind != LOG_KEY:
                        raise NoteError(f"the key {key.name!a} is of a witness; give that of a log")
                    found.setdefault(key.name, []).append(key)
        except (OSError, UnicodeDecodeError, NoteError) as error:
            raise click.BadParameter(f"{value}: {error}") from error
    return found


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_file()
    except (OSError, ValueError):
        return False
