"""Kills `aucmax stream` at random moments: `python kill_stream.py FOLDER SEED KILLS`.

A process without time to clean up is forked, killed with SIGKILL, and followed by another one that continues from its
checkpoint, until the file has been read. The checkpoint must be readable after each kill, and the model at the end
that of a run without interruption, to the last bit. Prints, as JSON, how many kills there were and when.
"""

import json
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from killed_process import run_in_child

from aucmax.cli.stream import StreamRun
from aucmax.cli.stream_start import StreamSettings
from aucmax.models import load
from aucmax.models.model_file import load_checkpoint
from aucmax.tables import ReadLimits

ROWS = 12_000
SOLVERS = ("exact", "spam", "oam", "solam")
READING = {"format": "csv", "encoding": "utf-8", "limits": ReadLimits()}


def write_rows(path, rng):
    """A table of numbers, missing values and categories."""
    y = rng.random(ROWS) < 0.2
    number = rng.normal(size=ROWS) + y
    other = rng.normal(size=ROWS).round(3)
    town = rng.choice(["Rome", "Oslo", "Lima"], ROWS)
    lines = [
        f"{a!r},{'' if i % 11 == 0 else b},{c},{'yes' if label else 'no'}"
        for i, (a, b, c, label) in enumerate(zip(number.tolist(), other.tolist(), town, y))
    ]
    path.write_text("\n".join(["a,b,town,y", *lines]) + "\n")


def run(data, checkpoint, solver):
    """One run of the command, without its output."""
    settings = StreamSettings(target="y", solver=solver, every_rows=250, every_seconds=3600.0, batch=100, window=300)
    StreamRun(data, checkpoint, settings, lambda progress: None, lambda *drift: None).run(READING)


def model_of(path):
    """What must be the same to the last bit."""
    content = json.loads(path.read_text())
    return content["scorer"], content["stream"], content["metadata"]["calibration"]


def main(folder, seed, n_kills):
    rng = np.random.default_rng(seed)
    data = folder / "rows.csv"
    write_rows(data, rng)
    rows_at_kills = []
    while len(rows_at_kills) < n_kills:
        solver = SOLVERS[len(rows_at_kills) % len(SOLVERS)]
        whole = folder / "whole.json"
        whole.unlink(missing_ok=True)
        start = time.monotonic()
        run(data, whole, solver)
        seconds = time.monotonic() - start
        checkpoint = folder / "killed.json"
        checkpoint.unlink(missing_ok=True)
        for _ in range(4):
            if run_in_child(partial(run, data, checkpoint, solver), rng.uniform(0.05, 0.6) * seconds):
                rows_at_kills.append(load_checkpoint(checkpoint).n_rows if checkpoint.exists() else 0)
        run(data, checkpoint, solver)
        assert model_of(checkpoint) == model_of(whole), solver
        assert load(checkpoint).metadata.training["rows"] == ROWS
    print(json.dumps({"kills": len(rows_at_kills), "rows": rows_at_kills}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
