"""SDCA and SPDAM with explicit matrices (docs/mathematics.md, section 8)."""

import numpy as np
from problems import centred_rows


class Equations:
    """b_i, Q and the dual objective of SDCA, written out with matrices."""

    def __init__(self, problem):
        l2 = problem.penalty.l2
        rows, r, self.delta = centred_rows(problem.data)
        self.B = np.sqrt(r)[:, None] * rows
        self.Q = np.linalg.inv(l2 * np.eye(self.delta.size) + np.outer(self.delta, self.delta))

    def weights(self, theta):
        return self.Q @ (self.delta - self.B.T @ theta)

    def dual(self, theta):
        u = self.delta - self.B.T @ theta
        return 0.5 - 0.5 * theta @ theta - 0.5 * u @ self.Q @ u

    def curvature(self):
        """b_i'Q b_i for every row."""
        return np.array([b @ self.Q @ b for b in self.B])

    def ascend(self, visits):
        """theta and w after visiting these rows."""
        theta = np.zeros(len(self.B))
        w = self.Q @ self.delta
        for i in visits:
            b = self.B[i]
            step = (b @ w - theta[i]) / (1.0 + b @ self.Q @ b)
            theta[i] += step
            w = w - step * self.Q @ b
        return theta, w


def saddle_rows(data):
    """z_i = sqrt(n r_i) (x_i - mean) and delta of SPDAM, from the definitions."""
    rows, r, delta = centred_rows(data)
    return np.sqrt(data.n * r)[:, None] * rows, delta


def primal_step(q, delta, l1, c):
    """argmin_w -q.w + (1 - w.delta)^2 / 2 + l1 |w|_1 + (c / 2) |w|^2, by coordinate descent to the last digit."""
    H = c * np.eye(q.size) + np.outer(delta, delta)
    w = np.linalg.solve(H, q + delta)
    if l1 == 0:
        return w
    before = np.full_like(w, np.inf)
    while np.abs(w - before).max() > 1e-14:
        before = w.copy()
        for j in range(q.size):
            z = q[j] + delta[j] - H[j] @ w + H[j, j] * w[j]
            w[j] = np.sign(z) * max(abs(z) - l1, 0.0) / H[j, j]
    return w


def theorem_5_1(problem, m, *, printed):
    """sigma, tau and theta: as the positive root of their condition, or as printed."""
    Z, _ = saddle_rows(problem.data)
    n = len(Z)
    l2 = problem.penalty.l2
    kappa2 = (Z**2).sum(axis=1).max()
    if printed:
        sigma = ((n - m) + np.sqrt((n - m) ** 2 + 4 * n * kappa2 * m / l2)) / (8 * m * kappa2)
    else:
        sigma = np.roots([4 * kappa2 * m, -2 * l2 * (n - m), -l2 * n]).max()
    return sigma, 1 / (4 * sigma * kappa2), 1 - l2 / (l2 + 2 * sigma * kappa2)


def spdam(problem, batches, sigma, tau, theta):
    """w and beta after these batches."""
    Z, delta = saddle_rows(problem.data)
    n = len(Z)
    beta = np.zeros(n)
    u = np.zeros(delta.size)
    w = np.zeros(delta.size)
    v = np.zeros(delta.size)
    for batch in batches:
        before = beta.copy()
        beta[batch] = (sigma * Z[batch] @ v + beta[batch]) / (1.0 + sigma)
        du = Z.T @ (beta - before) / n
        ubar = u + (n / len(batch)) * du
        u = u + du
        new = primal_step(w / tau - ubar, delta, problem.penalty.l1, problem.penalty.l2 + 1.0 / tau)
        w, v = new, new + theta * (new - w)
    return w, beta
