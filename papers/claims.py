"""Claims of the theorems, measured once each on generated rows: writes `claims.md` beside this file.

    python papers/claims.py

The others are in benchmarks/results/rates.md: the linear rates of VRSPAM and SPDAM, and SPAM's 1/t.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from aucmax import AUCClassifier
from aucmax.datasets import make_toy
from aucmax.solvers import FSAUC, SOLAM, SPAM

FOLDER = Path(__file__).parent
SIZES = (500, 1000, 2000, 4000, 8000, 16_000)
SEEDS = 6
LARGE = 300.0  # a penalty with which the steps of theorem 4.1 move
RADIUS = 3.0  # of balls that contain the minimiser


def rows(n: int, seed: int) -> tuple[Any, np.ndarray]:
    """Five columns, of norm about 1."""
    X, y = make_toy(n, 5, positive_rate=0.4, random_state=seed)
    return X / np.sqrt(5.0), y


def excess(solver: Any, alpha: float, n: int, seed: int) -> float:
    """The objective on 20,000 new rows above its minimum there, after one pass over n rows."""
    model = AUCClassifier(solver=solver, alpha=alpha, standardize=False, random_state=seed).fit(*rows(n, seed))
    X, y = rows(20_000, 999)
    best = AUCClassifier(alpha=alpha, standardize=False).fit(X, y)
    return objective(X, y, model.coef_[0], alpha) - objective(X, y, best.coef_[0], alpha)


def distance(solver: Any, alpha: float, n: int, seed: int) -> float:
    """The squared distance to the minimiser on the same n rows, after one pass, in units of its squared length."""
    X, y = rows(n, seed)
    w, best = (
        AUCClassifier(solver=one, alpha=alpha, standardize=False, random_state=seed).fit(X, y).coef_[0]
        for one in (solver, "exact")
    )
    return float(((w - best) ** 2).sum() / (best**2).sum())


def objective(X: Any, y: np.ndarray, w: np.ndarray, alpha: float) -> float:
    """Half the mean squared pair loss, and the penalty."""
    q = X @ w
    pos, neg = q[y > 0], q[y < 0]
    loss = 0.5 * (pos.var() + neg.var() + (1.0 - pos.mean() + neg.mean()) ** 2)
    return float(loss + 0.5 * alpha * w @ w)


def exponent(values: list[float]) -> float:
    """Of n, by least squares on logarithms."""
    return float(np.polyfit(np.log(SIZES), np.log(values), 1)[0])


def curve(measure: Callable[..., float], solver: Any, alpha: float) -> list[float]:
    """Means for every n."""
    return [float(np.mean([measure(solver, alpha, n, seed) for seed in range(SEEDS)])) for n in SIZES]


def solvers() -> dict[str, tuple[str, Callable[..., float], Any, float]]:
    """The claim, what is measured, the solver and the penalty."""
    published = {"capped": False, "prior": "running", "tilt": 0.0, "zeta": 0.5}
    fsauc = FSAUC(max_epochs=1, radius=RADIUS, statistics="running")
    solam = SOLAM(max_epochs=1, form="l2_ball", radius=RADIUS, **published)
    found: dict[str, tuple[str, Callable[..., float], Any, float]] = {
        "FSAUC": ("n^-1, up to logarithms", excess, fsauc, 0.0),
        "SOLAM": ("n^-1/2, up to logarithms", excess, solam, 0.0),
    }
    for theta in (0.25, 0.5, 0.75):
        solver = SPAM(max_epochs=1, step="theorem_4_1", theta=theta, average=False)
        for alpha in (0.1, LARGE):
            name = f"SPAM, theorem 4.1, theta {theta:g}, alpha {alpha:g}"
            found[name] = (f"n^{-theta:g}", distance, solver, alpha)
    return found


def main(folder: Path = FOLDER) -> dict[str, float]:
    """Measure all and write the page; gives the exponents."""
    lines = ["| method | claimed | measured exponent of n | " + " | ".join(f"{n:,} rows" for n in SIZES) + " |"]
    lines.append("| --- |" + " --- |" * (2 + len(SIZES)))
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, (claim, measure, solver, alpha) in solvers().items():
            values = curve(measure, solver, alpha)
            found[name] = exponent(values)
            numbers = " | ".join(f"{value:.1e}" for value in values)
            lines.append(f"| {name} | {claim} | {found[name]:.2f} | {numbers} |")
    (folder / "claims.md").write_text(text("\n".join(lines)))
    return found


def text(table: str) -> str:
    """The page."""
    return f"""# Claims of the theorems, measured

After one pass over n rows of five columns, means of {SEEDS} seeds. FSAUC and SOLAM: the excess of the objective
on 20,000 new rows over its minimum there; FSAUC's exponent is near -1, as claimed up to logarithms, and SOLAM's
is better than claimed, and no worse than FSAUC's on these rows. SPAM with the steps of theorem 4.1: the squared
distance to the minimiser, relative to its length. With a usual penalty the step beta/(128 M^4) n^-theta does not
move at all, and the claim holds only through its constant; the rate is seen with a penalty of {LARGE:g}. The
linear rates of VRSPAM and SPDAM and SPAM's 1/t with usable steps are in
[rates.md](../benchmarks/results/rates.md).

{table}
"""


if __name__ == "__main__":
    main()
