"""Writes the manual pages and the shell completion of the command, from the command itself."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from controller.cli import main as feltwire

NAME = "feltwire"
COMPLETE_VARIABLE = "_FELTWIRE_COMPLETE"
SECTION = 1


def pages(group: click.Group) -> Iterator[tuple[str, str]]:
    """Name and text of the page of each command, the program's own first."""
    context = click.Context(group, info_name=NAME)
    yield from _pages(group, context)


def _pages(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    name = context.command_path.replace(" ", "-")
    yield name, page(command, context, name)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            one = command.get_command(context, below)
            if one is not None and not one.hidden:
                yield from _pages(one, click.Context(one, info_name=below, parent=context))


def page(command: click.Command, context: click.Context, name: str) -> str:
    """One page as `man(7)` describes it."""
    lines = [f'.TH "{name.upper()}" {SECTION} "" "Feltwire" "Feltwire"']
    lines += [".SH NAME", f"{quoted(name)} \\- {quoted(command.get_short_help_str(limit=200).rstrip('.'))}"]
    usage = " ".join(command.collect_usage_pieces(context))
    lines += [".SH SYNOPSIS", f".B {quoted(context.command_path)}", quoted(usage)]
    lines += [".SH DESCRIPTION", *paragraphs(command.help or "")]
    options = [record for param in command.get_params(context) if (record := param.get_help_record(context))]
    if options:
        lines.append(".SH OPTIONS")
        for option, text in options:
            lines += [".TP", f".B {quoted(option)}", quoted(text)]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for below in command.list_commands(context):
            one = command.get_command(context, below)
            if one is not None and not one.hidden:
                lines += [".TP", f".BR {quoted(name)}\\-{quoted(below)} ({SECTION})"]
                lines.append(quoted(one.get_short_help_str(limit=200)))
    if context.parent is not None:
        lines += [".SH SEE ALSO", f".BR {quoted(context.parent.command_path.replace(' ', '-'))} ({SECTION})"]
    lines += ["", "The whole documentation: /usr/share/doc/feltwire"] if context.parent is None else []
    return "\n".join(lines) + "\n"


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; one that begins with `\\b` keeps its lines."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = paragraph.splitlines()
        if lines[0].strip() == "\b":
            yield from (".PP", ".nf", *(quoted(line) for line in lines[1:]), ".fi")
        else:
            yield from (".PP", quoted(" ".join(line.strip() for line in lines)))


def quoted(text: str) -> str:
    """Text in which nothing is a request or an escape of groff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped[:1] in (".", " ") else escaped


def main() -> None:
    """Writes pages into a folder, or the completion of a shell into a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--completion", choices=["bash", "zsh", "fish"])
    parser.add_argument("target", type=Path)
    given = parser.parse_args()
    if given.completion:
        shell = get_completion_class(given.completion)
        if shell is None:
            sys.exit(f"click completes nothing for {given.completion}")
        completer = shell(feltwire, {}, NAME, COMPLETE_VARIABLE)
        # The whole of `source()` first asks the bash of this computer for its version, which is not the table's.
        given.target.write_text(completer.source_template % completer.source_vars())
        return
    for name, text in pages(feltwire):
        (given.target / f"{name}.{SECTION}").write_text(text)


if __name__ == "__main__":
    main()
