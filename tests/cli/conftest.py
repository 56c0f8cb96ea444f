"""A folder with a table, in which the commands run."""

import pytest
from command_line import make_columns, write


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
