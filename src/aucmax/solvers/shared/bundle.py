"""Bundle: cutting planes of a convex loss, and the minimum of the piecewise linear model that they define.

    Joachims. "Training linear SVMs in linear time." KDD 2006.

With planes a_k.w + b_k <= loss(w), including the zero plane, and an L2 penalty, the model and its dual are

    min_w max_k (a_k.w + b_k) + l2/2 |w|^2  =  max_s  s.b - |A's|^2 / (2 l2),    s_k >= 0, sum_k s_k = 1

whose value at any s is a lower bound on the objective, and w = -A's / l2. The dual is solved by sequential minimal
optimisation, which moves the best amount from one plane to another. Memory: about 80 planes of dim numbers.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from aucmax.numerics.compiled import compiled

IDLE = 50  # consecutive solves with zero share after which a plane is dropped
SWEEPS = 200  # maximum number of exchanges per plane


class Bundle:
    """Cutting planes of a convex loss; the first is the zero plane."""

    def __init__(self, dim: int, l2: float) -> None:
        self.l2 = l2
        self.planes = [np.zeros(dim)]  # a_k
        self.b = np.zeros(1)  # b_k
        self.gram = np.zeros((1, 1))  # inner products of the a_k
        self.share = np.ones(1)  # s_k
        self.idle = np.zeros(1, dtype=np.int64)  # solves since each plane last had a nonzero share

    def copy(self) -> Bundle:
        """An independent bundle; it can share arrays and lists, which are replaced and never modified."""
        return copy(self)

    def add(self, a: np.ndarray, b: float) -> float:
        """Add a plane; return the lower bound that it gives by itself."""
        products = np.array([plane @ a for plane in self.planes])
        norm2 = float(a @ a)
        self.gram = np.block([[self.gram, products[:, None]], [products[None, :], np.array([[norm2]])]])
        self.planes = [*self.planes, a]
        self.b = np.append(self.b, b)
        self.share = np.append(self.share, 0.0)
        self.idle = np.append(self.idle, 0)
        return b - norm2 / (2.0 * self.l2)

    def solve(self, tol: float) -> tuple[np.ndarray, float]:
        """The minimiser of the model to within `tol`, and the lower bound."""
        self._drop()
        self.share = self.share / self.share.sum()
        slope = self.b - self.gram @ self.share / self.l2
        _exchange(self.gram, slope, self.share, self.l2, tol, SWEEPS * self.b.size)
        self.idle = np.where(self.share > 0, 0, self.idle + 1)
        direction = np.zeros(self.planes[0].size)
        for k in np.flatnonzero(self.share):
            direction += self.share[k] * self.planes[k]
        return -direction / self.l2, float(self.share @ self.b - direction @ direction / (2.0 * self.l2))

    def _drop(self) -> None:
        keep = self.idle < IDLE
        keep[0] = True
        if not keep.all():
            self.planes = [plane for plane, kept in zip(self.planes, keep, strict=True) if kept]
            self.b = self.b[keep]
            self.gram = self.gram[np.ix_(keep, keep)]
            self.share = self.share[keep]
            self.idle = self.idle[keep]


@compiled
def _exchange(gram, slope, share, l2, tol, limit):
    """Exchange shares until the dual is within tol of its maximum; slope, its gradient, is kept up to date."""
    for _ in range(limit):
        best = 0
        mean = 0.0
        for k in range(share.size):
            mean += share[k] * slope[k]
            if slope[k] > slope[best]:
                best = k
        if slope[best] - mean <= tol:
            break
        giver = -1
        gain = 0.0
        for k in range(share.size):
            ahead = slope[best] - slope[k]
            if share[k] > 0.0 and ahead > 0.0:
                curvature = max(gram[best, best] + gram[k, k] - 2.0 * gram[best, k], 1e-300) / l2
                step = min(share[k], ahead / curvature)
                gained = step * (ahead - 0.5 * step * curvature)
                if gained > gain:
                    giver = k
                    gain = gained
        if giver < 0:
            break
        curvature = max(gram[best, best] + gram[giver, giver] - 2.0 * gram[best, giver], 1e-300) / l2
        step = min(share[giver], (slope[best] - slope[giver]) / curvature)
        share[best] += step
        share[giver] = 0.0 if step == share[giver] else share[giver] - step
        for k in range(share.size):
            slope[k] -= step * (gram[best, k] - gram[giver, k]) / l2
