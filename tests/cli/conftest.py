"""A folder with a table, in which the commands run."""

import signal

import pytest
from command_line import make_columns, write

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in the background of a script, and so in all commands
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def columns():
    return make_columns()


@pytest.fixture
def folder(tmp_path, monkeypatch, columns):
    """A temporary working directory with data.csv."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUCMAX_DATA", raising=False)
    write("data.csv", columns)
    return tmp_path
