"""Mutates the structure of files rather than their bytes: `python structured_files.py FOLDER SEED MUTATIONS`.

Bytes are mutated by `damaged_files.py`; a checksum refuses nearly all such model files before a field is looked at.
Here, values within models and checkpoints are replaced and the checksum is computed again, and tables are written
with odd cells, quotation marks and line ends. What is read must be what Python's own `csv` and `json` read, and what
is refused must be refused with a documented error. Nothing may run: models name code that would leave a file behind.
"""

import csv
import io
import json
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from aucmax import AUCClassifier
from aucmax.models import load
from aucmax.models.live_stream import LiveStream
from aucmax.models.metadata import ModelMetadata
from aucmax.models.model_file import _checksum, load_checkpoint, save_checkpoint
from aucmax.solvers import SOLVERS
from aucmax.tables import Table, TableEncoder, read, read_chunks

LIMIT = 6 << 30  # of address space
SECONDS = 20.0  # for one file
TRACE = "was_executed"
NUMBERS = [-1, 0, 1, 2**31, 2**63, 2**64, 10**30, 1e308, 5e-324, -0.0, 0.5]
PROGRAMS = [{"__reduce__": [f"open('{TRACE}', 'w')"]}, f"__import__('os').mknod('{TRACE}')"]
VALUES = [None, True, *NUMBERS, "", "nan", "inf", "x" * 1000, [], [[]], [1, 2, 3], {}, *PROGRAMS]
PLAIN_CELLS = ["1", "-2.5", "1e5", "", "NA", "yes", "no", "1,5", "a b", "é", " 7 ", "2024-01-05", "12:30", "5 %"]
ODD_CELLS = ['"', '""', "\t", "1_0", "inf", "0x1", "٣", "x" * 300, "\u2028", "'", "#", "=1+1", "\\", "1e999", "€ 3"]
CELLS = PLAIN_CELLS + ODD_CELLS
COLUMNS = {
    "age": ["31", "", "42", "100", "50", "60"] * 5,
    "town": ["Rome", "Oslo", "Rome", "Lima", "Oslo", "Rome"] * 5,
    "day": ["2024-01-05", "2024-02-01", "2023-12-31", "", "2024-03-03", "2024-05-06"] * 5,
}


def checkpoints(folder):
    """A checkpoint of every streaming solver, as JSON values."""
    encoder = TableEncoder().fit(Table(COLUMNS))
    X = encoder.transform(Table(COLUMNS)) + np.random.default_rng(0).normal(size=(30, 1))
    y = np.arange(30) % 3 // 2
    for solver in SOLVERS.values():
        if solver.online:
            model = AUCClassifier(solver=solver(), loss=solver.losses[0].name, random_state=0)
            metadata = ModelMetadata(("no", "yes"), encoder=encoder, training={"target": "y"})
            stream = LiveStream(metadata, model, batch_rows=8, window=12)
            stream.learn(X, y)
            save_checkpoint(stream, folder / "valid.json")
            yield json.loads((folder / "valid.json").read_text()), X, y


def replace_value(content, rng):
    """Replace, remove or copy one value somewhere in a JSON object; the checksum is that of the result."""
    parent, key = content, rng.choice([key for key in content if key != "checksum"])
    while isinstance(parent[key], dict | list) and len(parent[key]) and rng.random() < 0.85:
        parent = parent[key]
        key = rng.choice(list(parent)) if isinstance(parent, dict) else int(rng.integers(len(parent)))
    kind = rng.integers(0, 4)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        parent.insert(key, parent[key])
    else:
        parent[key] = VALUES[rng.integers(len(VALUES))]
    content["checksum"] = _checksum({name: value for name, value in content.items() if name != "checksum"})


def use_model(path, X, y):
    """Load a model and continue from a checkpoint; whether both could be done."""
    try:
        load(path).decision_function(X)
        load_checkpoint(path).learn(X, y)
    except (ValueError, MemoryError):
        return False
    return True


def random_csv(rng):
    """A table with odd cells, quoted as needed or not at all."""
    delimiter = str(rng.choice([",", ";", "\t"]))
    width = int(rng.integers(2, 5))
    end = str(rng.choice(["\n", "\r\n", "\r"]))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=int(rng.choice([0, 1])))
    writer.writerow([f"c{j}" for j in range(width)])
    for _ in range(rng.integers(1, 8)):
        ragged = rng.random() < 0.03
        writer.writerow([CELLS[rng.integers(len(CELLS))] for _ in range(width - ragged)])
    text = out.getvalue()
    if rng.random() < 0.2:
        at = int(rng.integers(len(text)))
        text = text[:at] + str(rng.choice(['"', end, delimiter, "a"])) + text[at:]
    return text, delimiter


def check_csv(path, rng):
    """What is read is what Python's `csv` reads; a table that it cannot read in full is refused."""
    text, delimiter = random_csv(rng)
    path.write_text(text, newline="", encoding="utf-8")
    try:
        table = read(path)
        chunks = [cell for chunk in read_chunks(path, rows=2) for cell in chunk.columns[table.names[0]].to_pylist()]
    except ValueError as error:
        assert path.name in str(error), error
        return False
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    if len(rows[0]) == len(table.names) > 1:  # else the odd character has made another delimiter likelier
        cells = [list(row) for row in zip(*(column.to_pylist() for column in table.columns.values()))]
        assert cells == rows[1:], (text, cells)
        assert chunks == [row[0] for row in rows[1:]]
    return True


def check_json_lines(path, rng):
    """What is read is what Python's `json` reads, as strings where types differ."""
    keys = ["a", "b", "c é"]
    scalars = [1, -2.5, 1e300, "x", "", "1", None, True, False, "€", 2**53, -7]
    column_kinds = {key: rng.integers(0, 3) for key in keys}
    rows = []
    pick = {
        0: lambda: float(rng.normal()),
        1: lambda: str(rng.choice(["u", "v"])),
        2: lambda: scalars[rng.integers(len(scalars))],
    }
    for _ in range(rng.integers(1, 8)):
        rows.append({key: pick[int(column_kinds[key])]() for key in keys if rng.random() < 0.9})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if rng.random() < 0.3:
        at = int(rng.integers(len(text)))
        text = text[:at] + str(rng.choice(['"', "{", "}", ",", "\n", "1"])) + text[at + int(rng.integers(0, 2)) :]
    path.write_text(text, encoding="utf-8")
    try:
        table = read(path)
    except ValueError as error:
        assert path.name in str(error), error
        return False
    rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    assert len(table) == len(rows), text
    for name, column in table.columns.items():
        for cell, row in zip(column.to_pylist(), rows):
            value = row.get(name)
            same = cell == value or (isinstance(cell, str) and value is not None and not isinstance(value, str))
            assert same, (text, name, cell)
    return True


def main(folder, seed, n_mutations):
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rng = np.random.default_rng(seed)
    counts = {"model": 0, "csv": 0, "jsonl": 0}
    samples = [(json.dumps(content), X, y) for content, X, y in checkpoints(folder)]
    for i in range(n_mutations):
        start = time.monotonic()
        text, X, y = samples[i % len(samples)]
        content = json.loads(text)
        replace_value(content, rng)
        path = folder / "mutated.json"
        path.write_text(json.dumps(content))
        print(f"mutation {i}", file=sys.stderr)  # the last line, should the process end here
        counts["model"] += use_model(path, X, y)
        counts["csv"] += check_csv(folder / "mutated.csv", rng)
        counts["jsonl"] += check_json_lines(folder / "mutated.jsonl", rng)
        assert time.monotonic() - start < SECONDS, path
        assert not Path(TRACE).exists() and not (folder / TRACE).exists(), "code was executed"
    print(json.dumps({name: {"read": read, "refused": n_mutations - read} for name, read in counts.items()}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
