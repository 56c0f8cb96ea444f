"""Running commands in tests, and a table for them."""

import csv

import numpy as np


def make_columns(n=160, seed=0):
    """Columns of numbers, missing values, categories, free text, a constant, weights and a target."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 5 == 0
    amount = rng.normal(size=n) + 1.5 * y
    return {
        "id": [f"payment {i}" for i in range(n)],
        "amount": ["" if i % 40 == 7 else repr(float(value)) for i, value in enumerate(amount)],
        "hour": rng.integers(0, 24, n).tolist(),
        "country": rng.choice(["IT", "NO", "SE"], n).tolist(),
        "planet": ["Earth"] * n,
        "copies": rng.integers(1, 4, n).tolist(),
        "is_fraud": np.where(y, "fraud", "honest").tolist(),
    }


def write(path, columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


def run(*arguments, code=0):
    """The result of a command, which must exit with that code; an error is one line, after any warnings."""
    from click.testing import CliRunner

    from aucmax.cli.group import aucmax

    result = CliRunner().invoke(aucmax, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output + repr(result.exception)
    if code:
        lines = [line for line in result.stderr.strip().splitlines() if not line.startswith("warning: AUC")]
        assert len(lines) == 1 and lines[0].startswith("error: ")
    return result


def fit(*arguments):
    """Fit data.csv and write model.json."""
    return run("fit", "data.csv", "--target", "is_fraud", *arguments, "-o", "model.json", "--no-baseline")


def expect_error(folder, *arguments, code=1):
    """The message of a command that fails and leaves no file behind."""
    before = sorted(path.name for path in folder.iterdir())
    message = run(*arguments, code=code).stderr
    assert sorted(path.name for path in folder.iterdir()) == before
    return message
