"""Exports to SQL, run by the SQLite of the standard library, which has no times."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from aucmax.models.exports.sql import quote
from aucmax.numerics.matrix import dense
from aucmax.tables.cells import as_strings, present_strings


def connect():
    """A database in memory that has EXP."""
    connection = sqlite3.connect(":memory:")
    options = {name for (name,) in connection.execute("PRAGMA compile_options")}
    if "ENABLE_MATH_FUNCTIONS" not in options:  # as in some builds of Python
        connection.create_function("EXP", 1, lambda x: None if x is None else float(np.exp(x)))
    return connection


def run_query(path, table, columns):
    """The columns that the SELECT in a file gives for a table with these columns, all as lists."""
    name = quote(table)
    with closing(connect()) as connection:
        connection.execute(f"CREATE TABLE {name} ({', '.join(map(quote, columns))})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", zip(*columns.values()))
        cursor = connection.execute(Path(path).read_bytes().decode().rstrip().removesuffix(";"))
        names = [column for column, *_ in cursor.description]
        return {column: list(values) for column, values in zip(names, zip(*cursor.fetchall()))}


def database_columns(encoded, rows):
    """Encoded columns as a database holds them."""
    columns = {}
    for column in encoded:
        values = rows.columns[column.name]
        if column.kind == "categorical":
            columns[column.name] = present_strings(as_strings(values)).to_pylist()
        else:
            columns[column.name] = [None if np.isnan(number) else number for number in column.read(values).tolist()]
    return columns


class SQLite:
    """Runs SQL for `check_export` in place of DuckDB, which may not be installed."""

    def __init__(self, path, model, table):
        self.path = path
        self.model = model
        self.table = table

    def scores(self, rows):
        if self.model.columns is None:
            X = dense(rows.matrix(len(self.model.inputs)))
            columns = {name: X[:, j].tolist() for j, name in enumerate(self.model.inputs)}
        else:
            columns = database_columns(self.model.columns, rows)
        found = run_query(self.path, self.table, columns)
        return np.array(found[self.model.output_name("score")], dtype=float)
