"""`feltwire rule`: the words of a cited rule."""

from __future__ import annotations

import shutil
import sys
import textwrap

import click

from command_line.exit_codes import BAD_CONFIGURATION
from controller.rules.paragraphs import notes_on
from controller.rules.sentences import CitedText, NoSentenceError, citations_in, cited_text


@click.command("rule")
@click.argument("cite", metavar="CITATION")
def command(cite: str) -> None:
    """Print the words of a cited rule, with the date and the source of the text.

    A citation is what events and refusals carry as their rule, as in 13:47-20.32(m)1; several, separated by commas,
    are printed one after the other. The words come from the data of the rules: no network is needed. Every paragraph
    that our copies of the texts hold is there; after it, what is torn off in our copy, the requirement that covers it,
    or why nothing in the controller rests on it. A rule that is "ours", or a house rule, is in no text.

    \b
    Examples:
        feltwire rule "13:47-20.32(m)1"
        feltwire rule "13:47-20.21(c)1, 20.24(d)2"

    Exit codes: 0; 2 where the words of a citation are not here: those of the others are printed.
    """
    width = min(shutil.get_terminal_size().columns, 100)
    missing: list[NoSentenceError] = []
    printed = False
    for one in citations_in(cite) or [cite]:
        try:
            found = cited_text(one)
        except NoSentenceError as error:
            missing.append(error)
            continue
        if printed:
            click.echo()
        printed = True
        _print(found, width)
    for one_missing in missing:
        click.echo(click.style(str(one_missing), fg="red"), err=True)
    if missing:
        sys.exit(BAD_CONFIGURATION)


def _print(found: CitedText, width: int) -> None:
    click.echo(click.style(found.paragraphs[-1].cite, bold=True))
    for depth, paragraph in enumerate(found.paragraphs):
        indent = "  " * (depth + 1)
        cited = depth == len(found.paragraphs) - 1
        for line in paragraph.words.splitlines():
            rows = textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent)
            click.echo(rows if cited else click.style(rows, fg="bright_black"))
    for note in notes_on(found.paragraphs[-1].cite):
        click.echo(textwrap.fill(f"-- {note}.", width, initial_indent="  ", subsequent_indent="     "))
    source = f"-- {found.text.title}: {found.text.source}; {found.text.date}"
    click.echo(textwrap.fill(source, width, initial_indent="  ", subsequent_indent="     "))
