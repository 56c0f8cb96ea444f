"""Pairwise objectives over all pairs in the widest floats of NumPy, and their minima: the oracle of certificates."""

import numpy as np

WIDE = np.longdouble


def _softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _expit(x):
    return np.where(x >= 0, 1, np.exp(np.minimum(x, 0))) / (1 + np.exp(-np.abs(x)))


# the loss of a margin, and its first two derivatives
FUNCTIONS = {
    "squared": (lambda m: (1 - m) ** 2 / 2, lambda m: m - 1, np.ones_like),
    "squared_hinge": (
        lambda m: np.maximum(1 - m, 0) ** 2,
        lambda m: -2 * np.maximum(1 - m, 0),
        lambda m: 2 * (m < 1).astype(WIDE),
    ),
    "hinge": (lambda m: np.maximum(1 - m, 0), None, None),
    "exponential": (lambda m: np.exp(-m), lambda m: -np.exp(-m), lambda m: np.exp(-m)),
    "logistic": (lambda m: _softplus(-m), lambda m: -_expit(-m), lambda m: _expit(m) * _expit(-m)),
    "sigmoid": (lambda m: _expit(-m), None, None),
}


class WidePairs:
    """E[loss(w.(x - x'))] + l1 |w|_1 + l2/2 |w|^2 over all pairs; the columns are divided by `scale`."""

    def __init__(self, X, y, weight, scale, loss, penalty):
        X = (X.astype(WIDE) - X[0]) / scale  # differences of neighbouring numbers are exact
        pos, neg = X[y > 0], X[y < 0]
        self.differences = (pos[:, None, :] - neg[None, :, :]).reshape(-1, X.shape[1])
        products = np.outer(weight[y > 0].astype(WIDE), weight[y < 0].astype(WIDE)).ravel()
        self.weights = products / products.sum()
        self.value, self.slope, self.curvature = FUNCTIONS[loss]
        self.l1, self.l2 = WIDE(penalty.l1), WIDE(penalty.l2)

    def objective(self, w):
        w = w.astype(WIDE)
        loss = self.weights @ self.value(self.differences @ w)
        return loss + self.l1 * np.abs(w).sum() + self.l2 / 2 * (w @ w)

    def near_minimum(self, w):
        """The lowest objective that can be found from weights near the minimiser, to about 1e-18."""
        if not self.l1 + self.l2 > 0:  # in a ball, whose surface refinements would leave
            return self.objective(w)
        refine = self._newton if self.slope else self._on_kinks
        return min(self.objective(w), self.objective(refine(w.astype(WIDE))))

    def _newton(self, w):
        """Newton's method on the nonzero weights; only its matrix is in double precision."""
        free = np.flatnonzero(w) if self.l1 > 0 else np.arange(w.size)
        D = self.differences[:, free]
        for _ in range(20):
            margins = self.differences @ w
            gradient = D.T @ (self.weights * self.slope(margins)) + self.l1 * np.sign(w[free]) + self.l2 * w[free]
            hessian = D.T @ ((self.weights * self.curvature(margins))[:, None] * D) + self.l2 * np.eye(free.size)
            w = w.copy()
            w[free] -= np.linalg.lstsq(hessian.astype(float), gradient.astype(float), rcond=1e-14)[0]
        return w

    def _on_kinks(self, w):
        """The minimiser of the hinge, if the pairs at the kink are those with |1 - margin| < 1e-5.

        l2 w = sum of share times difference, the share being the weight of pairs inside the margin, and such that the
        margin is 1 at the kink.
        """
        short = 1 - self.differences @ w
        kink = np.abs(short) < 1e-5
        inside = self.differences[(short > 0) & ~kink].T @ self.weights[(short > 0) & ~kink]
        K = self.differences[kink]
        for _ in range(20):
            residual = 1 - K @ w
            shares = np.linalg.lstsq((K @ K.T / self.l2).astype(float), residual.astype(float), rcond=1e-12)[0]
            w = w + K.T @ shares / self.l2
            # back to the span of what the optimality condition allows
            rest = self.l2 * w - inside
            coefficients = np.linalg.lstsq(K.T.astype(float), rest.astype(float), rcond=1e-12)[0]
            w = (inside + K.T @ coefficients) / self.l2
        return w
