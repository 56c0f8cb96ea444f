"""The page of all commands and options, from click."""

from __future__ import annotations

import inspect

import click

from aucmax.cli.group import aucmax

INTRODUCTION = """\
# Command line

All commands with their options, as `--help` prints them. [The guide](../cli.md) says what they do.

"""


def command_page() -> str:
    """The page, in Markdown."""
    context = click.Context(aucmax)
    commands = {name: aucmax.get_command(context, name) for name in aucmax.list_commands(context)}
    return INTRODUCTION + "\n".join(section(name, command) for name, command in commands.items() if command)


def section(name: str, command: click.Command) -> str:
    """A command: its usage, what it does, its options."""
    context = click.Context(command, info_name=f"aucmax {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {name}", "", "```sh", f"aucmax {name} {usage}", "```", "", click_text(command.help or ""), ""]
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    rows = [option_row(option, context) for option in options if not option.hidden]
    if rows:
        lines += ["| option | |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def option_row(option: click.Option, context: click.Context) -> str:
    """An option: its names with the value that it takes, and its help."""
    record = option.get_help_record(context)
    assert record is not None
    names, text = record
    return f"| `{escaped(names)}` | {escaped(click_text(text))} |"


def click_text(text: str) -> str:
    """Help as Markdown: without the marks that keep click from wrapping lines."""
    plain = inspect.cleandoc(text.replace("\b\n", ""))
    return plain.replace("\f", "").replace("<", "&lt;").replace("*", r"\*").strip()


def escaped(cell: str) -> str:
    """A cell of a table."""
    return cell.replace("|", r"\|").replace("\n", " ")
