"""Toy data of any size, dense or CSR, whose best AUC is known."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from aucmax.validation.params import Integer, Number, check_param


def make_toy(
    n_samples: int = 1000,
    n_features: int = 20,
    *,
    positive_rate: float = 0.1,
    separation: float = 1.0,
    density: float = 1.0,
    n_informative: int | None = None,
    noise: float = 0.0,
    random_state: int | None = 0,
) -> tuple[np.ndarray | sparse.csr_array, np.ndarray]:
    """Generate two normal classes whose means are `separation` standard deviations apart.

    Parameters
    ----------
    n_samples, n_features : int
        Numbers of rows and columns.
    positive_rate : float
        Fraction of positive rows.
    separation : float
        Distance of the class means. With density 1 and no noise the best AUC is Phi(separation / sqrt(2)).
    density : float
        Fraction of non-zero cells; below 1 the result is CSR.
    n_informative : int, optional
        The means differ in the first `n_informative` columns; in all of them if not given.
    noise : float
        Fraction of the positives that swap their label with a negative.
    random_state : int, optional
        Random seed.

    Returns
    -------
    X : array or csr_array of float64
    y : array of -1 and +1

    Examples
    --------
    >>> X, y = make_toy(200, 5)
    >>> X.shape, int((y > 0).sum())
    ((200, 5), 20)
    >>> X, y = make_toy(1000, 10**6, density=1e-5)
    >>> X.shape, 9000 < X.nnz < 11000
    ((1000, 1000000), True)
    """
    check_param("n_samples", n_samples, Integer(2))
    check_param("n_features", n_features, Integer(1))
    check_param("positive_rate", positive_rate, Number(0, 1, open="both"))
    check_param("separation", separation, Number())
    check_param("density", density, Number(0, 1, open="low"))
    check_param("n_informative", n_informative, None, Integer(1, n_features))
    check_param("noise", noise, Number(0, 1))
    rng = np.random.default_rng(random_state)
    n_positive = min(max(round(n_samples * positive_rate), 1), n_samples - 1)
    y = np.where(rng.permutation(n_samples) < n_positive, 1, -1)
    informative = n_features if n_informative is None else n_informative
    shift = separation / np.sqrt(informative)
    if density < 1:
        X: np.ndarray | sparse.csr_array = _sparse_rows(y, n_features, density, informative, shift, rng)
    else:
        X = rng.normal(size=(n_samples, n_features))
        X[y > 0, :informative] += shift
    return X, _swap_labels(y, round(noise * n_positive), rng)


def _sparse_rows(
    y: np.ndarray, d: int, density: float, informative: int, shift: float, rng: np.random.Generator
) -> sparse.csr_array:
    """Every cell is non-zero with probability `density`: a Poisson number of draws a row, duplicates dropped."""
    n_draws = rng.poisson(-np.log1p(-density) * d, size=y.size)
    cells = np.unique(np.repeat(np.arange(y.size) * d, n_draws) + rng.integers(0, d, size=n_draws.sum()))
    row, column = cells // d, cells % d
    data = rng.normal(size=cells.size) + shift * ((column < informative) & (y[row] > 0))
    indptr = np.searchsorted(cells, np.arange(y.size + 1) * d)
    dtype = np.int32 if max(cells.size, d) < 2**31 else np.int64
    return sparse.csr_array((data, column.astype(dtype), indptr.astype(dtype)), shape=(y.size, d))


def _swap_labels(y: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    count = min(count, int((y < 0).sum()))
    for side in (np.flatnonzero(y > 0), np.flatnonzero(y < 0)):
        y[rng.permutation(side)[:count]] *= -1
    return y
