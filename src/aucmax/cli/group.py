"""The group of commands: it lists them without importing them, so that `aucmax --help` answers at once."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

import click

from aucmax.cli.errors import ErrorHandlingGroup
from aucmax.cli.interrupts import raise_interrupts

# The first line of the help of every command, as `aucmax --help` shows it.
COMMANDS = {
    "fit": "Fit a model to a table, evaluate it by cross-validation, and save it.",
    "score": "Score the rows of a table with a saved model, chunk by chunk.",
    "evaluate": "Evaluate a saved model on a table with labels.",
    "explain": "Show the columns that matter to a saved model, on a table.",
    "export": "Write a saved model as SQL or ONNX.",
    "stream": "Learn from rows as they come, with checkpoints.",
    "compare": "Compare models on the same folds.",
    "solvers": "List the solvers.",
    "datasets": "List the named data sets.",
    "reproduce": "Run the tables and figures of a paper again, with a verdict on every number.",
}
_REQUIRED = ("rich", "pyarrow")


class LazyGroup(ErrorHandlingGroup):
    """A group whose commands are imported when they are run, each from the file of its name in `cli.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name in COMMANDS:
            _import_command(cmd_name)
            raise_interrupts()
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _import_command(name: str) -> None:
    missing = next((package for package in _REQUIRED if find_spec(package) is None), None)
    if missing is not None:
        message = f"the command line needs {missing}; in a clone of aucmax: pip install '.[cli]'"
        raise ModuleNotFoundError(message, name=missing)
    importlib.import_module(f"aucmax.cli.commands.{name}")


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="aucmax")
def aucmax() -> None:
    """Rank positives above negatives by directly maximising AUC."""
