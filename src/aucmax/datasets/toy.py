"""Toy data of any size, dense or CSR, whose best AUC is known."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def toy(
    n: int = 1000,
    d: int = 20,
    *,
    positive_rate: float = 0.1,
    separation: float = 1.0,
    density: float = 1.0,
    n_informative: int | None = None,
    noise: float = 0.0,
    random_state: int | None = 0,
) -> tuple[np.ndarray | sparse.csr_array, np.ndarray]:
    """Two normal classes whose means are `separation` standard deviations apart.

    Parameters
    ----------
    n, d : int
        Numbers of rows and columns.
    positive_rate : float
        Share of positive rows.
    separation : float
        Distance of the class means. With density 1 and no noise the best AUC is Phi(separation / sqrt(2)).
    density : float
        Share of the cells that are not zero; below 1 the result is CSR.
    n_informative : int, optional
        The first so many columns tell the classes apart; all if not given.
    noise : float
        Share of the positives that swap their label with a negative.
    random_state : int, optional
        Seed.

    Returns
    -------
    X : array or csr_array of float64
    y : array of -1 and +1

    Examples
    --------
    >>> X, y = toy(200, 5)
    >>> X.shape, int((y > 0).sum())
    ((200, 5), 20)
    >>> X, y = toy(1000, 10**6, density=1e-5)
    >>> X.shape, 9000 < X.nnz < 11000
    ((1000, 1000000), True)
    """
    informative = d if n_informative is None else n_informative
    _check(n, d, positive_rate, density, informative, noise)
    rng = np.random.default_rng(random_state)
    n_positive = min(max(round(n * positive_rate), 1), n - 1)
    y = np.where(rng.permutation(n) < n_positive, 1, -1)
    shift = separation / np.sqrt(informative)
    if density < 1:
        X: np.ndarray | sparse.csr_array = _sparse(y, d, density, informative, shift, rng)
    else:
        X = rng.normal(size=(n, d))
        X[y > 0, :informative] += shift
    return X, _swapped(y, round(noise * n_positive), rng)


def _sparse(
    y: np.ndarray, d: int, density: float, informative: int, shift: float, rng: np.random.Generator
) -> sparse.csr_array:
    """Every cell is filled with probability `density`: a Poisson number of throws a row, repeats dropped."""
    throws = rng.poisson(-np.log1p(-density) * d, size=y.size)
    cells = np.unique(np.repeat(np.arange(y.size) * d, throws) + rng.integers(0, d, size=throws.sum()))
    row, column = cells // d, cells % d
    data = rng.normal(size=cells.size) + shift * ((column < informative) & (y[row] > 0))
    indptr = np.searchsorted(cells, np.arange(y.size + 1) * d)
    kind = np.int32 if max(cells.size, d) < 2**31 else np.int64
    return sparse.csr_array((data, column.astype(kind), indptr.astype(kind)), shape=(y.size, d))


def _swapped(y: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    count = min(count, int((y < 0).sum()))
    for side in (np.flatnonzero(y > 0), np.flatnonzero(y < 0)):
        y[rng.permutation(side)[:count]] *= -1
    return y


def _check(n: int, d: int, positive_rate: float, density: float, informative: int, noise: float) -> None:
    if n < 2 or d < 1:
        raise ValueError(f"n={n}, d={d}; there must be at least 2 rows and 1 column")
    if not 1 <= informative <= d:
        raise ValueError(f"n_informative={informative}; it must be between 1 and d={d}")
    if not 0 < density <= 1:
        raise ValueError(f"density={density}; it must be above 0 and at most 1")
    if not (0 < positive_rate < 1 and 0 <= noise <= 1):
        raise ValueError(f"positive_rate={positive_rate}, noise={noise}; they must be shares between 0 and 1")
