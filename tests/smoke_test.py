"""What must work after the wheel is installed in a new environment: `make wheel` runs this, outside the clone."""

import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer

import aucmax


def check_library(folder):
    X, y = load_breast_cancer(return_X_y=True)
    model = aucmax.AUCClassifierCV(random_state=0).fit(X, y)
    assert model.cv_auc_.mean(axis=1).max() > 0.99
    aucmax.save(model, folder / "model.json")
    assert (aucmax.load(folder / "model.json").decision_function(X) == model.decision_function(X)).all()


def check_command_line(folder):
    table = folder / "table.csv"
    rows = [f"{i % 7},{(i * 37) % 11},{int(i % 7 + (i * 37) % 11 > 12)}" for i in range(300)]
    table.write_text("\n".join(["a,b,target", *rows]) + "\n")
    script = Path(sys.executable).with_name("aucmax")
    for words in (
        ["fit", "table.csv", "--target", "target", "--no-baseline", "-o", "fitted.json"],
        ["score", "table.csv", "--model", "fitted.json", "-o", "scores.csv"],
        ["compare", "digits", "--models", "exact,logistic", "--cv", "2", "--report", "report.html"],
    ):
        subprocess.run([script, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    assert len((folder / "scores.csv").read_text().splitlines()) == 301
    assert "<html" in (folder / "report.html").read_text()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        check_library(Path(name))
        check_command_line(Path(name))
    print(f"aucmax {aucmax.__version__} in {Path(aucmax.__file__).parent}: works")
