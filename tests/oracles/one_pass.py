"""OPAUC, AdaOAM, OAM and Uni-Exp as published, row by row; statistics are those of all rows so far, from scratch."""

import numpy as np


def pair_gradient(X, y, weight, i, w, l2, *, diagonal):
    """The gradient at row i against all earlier rows of the other class, and the trace of what multiplies w.

    None if there are no such rows.
    """
    others = np.flatnonzero(y[:i] != y[i])
    if not others.size:
        return None
    share = weight[others] / weight[others].sum()
    mean = share @ X[others]
    S = (X[others] - mean).T @ (share[:, None] * (X[others] - mean))
    S = np.diag(np.diag(S)) if diagonal else S
    e = X[i] - mean
    return l2 * w + (e @ w - y[i]) * e + S @ w, e @ e + np.trace(S)


def opauc(X, y, weight, eta, l2, *, diagonal=False):
    """The last iterate."""
    relative = weight / weight.mean()
    w = np.zeros(X.shape[1])
    for i in range(y.size):
        found = pair_gradient(X, y, weight, i, w, l2, diagonal=diagonal)
        if found is None:
            continue
        g, curvature = found
        w = w - min(eta * relative[i], 1.0 / (l2 + curvature)) * g
    return w


def sketched_opauc(X, y, weight, signs, eta, l2):
    """Section 3.3 of the paper with centred sketches, O(dim tau) a step."""
    dim = X.shape[1]
    tau = signs.shape[1]
    w = np.zeros(dim)
    T = {1: 0.0, -1: 0.0}
    C = {k: np.zeros(dim) for k in T}
    Z = {k: np.zeros((dim, tau)) for k in T}
    r = {k: np.zeros(tau) for k in T}
    relative = weight / weight.mean()
    for i, x in enumerate(X):
        own, other = int(y[i]), -int(y[i])
        if T[other] > 0:
            c = C[other] / T[other]
            Zc = Z[other] - np.outer(c, r[other])
            e = x - c
            gradient = l2 * w + (e @ w - y[i]) * e + Zc @ (Zc.T @ w) / T[other]
            w = w - min(eta * relative[i], 1.0 / (l2 + e @ e + (Zc**2).sum() / T[other])) * gradient
        a = np.sqrt(weight[i] / tau) * (2.0 * signs[i] - 1.0)
        T[own] = T[own] + weight[i]
        C[own] = C[own] + weight[i] * x
        r[own] = r[own] + a
        Z[own] = Z[own] + np.outer(x, a)
    return w


def in_ball(u, H, radius):
    """argmin (w - u)'H(w - u) over |w| <= radius, by bisection on the multiplier."""
    if np.linalg.norm(u) <= radius:
        return u
    low, high = 0.0, np.linalg.norm(H, 2) * np.linalg.norm(u) / radius
    for _ in range(200):
        nu = 0.5 * (low + high)
        w = np.linalg.solve(H + nu * np.eye(u.size), H @ u)
        low, high = (nu, high) if np.linalg.norm(w) > radius else (low, nu)
    return w


def root_of(matrix):
    """The positive semidefinite root."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors @ np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def adaoam(X, y, weight, l2, eta, *, delta=1e-6, diagonal=False, root="diagonal"):
    """Algorithm 9 with the gradients g_1 to g_t kept: the last iterate, and how often it projected."""
    relative = weight / weight.mean()
    w = np.zeros(X.shape[1])
    gradients = []
    projected = 0
    for i in range(y.size):
        found = pair_gradient(X, y, weight, i, w, l2, diagonal=diagonal)
        if found is None:
            continue
        gradients.append(np.sqrt(relative[i]) * found[0])
        history = np.array(gradients)
        squares = history.T @ history
        H = root_of(squares) if root == "full" else np.diag(np.linalg.norm(history, axis=0))
        H = H + delta * np.eye(w.size)
        step = w - eta * relative[i] * np.linalg.solve(H, found[0])
        w = in_ball(step, H, 1.0 / np.sqrt(l2))
        projected += not np.array_equal(w, step)
    return w, projected


def oam(X, y, weight, uniforms, l2, learner):
    """Algorithms 4 to 7, row by row; the buffers are lists of rows. The weights, and the rows kept."""
    share = y.size / weight.sum()
    w = np.zeros(X.shape[1])
    t = 0
    buffers = {1: [], -1: []}
    seen = {1: 0.0, -1: 0.0}
    for i, x in enumerate(X):
        own, other = int(y[i]), -int(y[i])
        rows = buffers[other]
        if rows:
            t += 1
            if learner.normalize:
                c = learner.eta / np.sqrt(t) / len(rows)
            else:
                c = learner.C / 2 * max(1.0, seen[other] * share / len(rows))
            c *= weight[i] * share
            w = w / (1.0 + c * len(rows) * l2)
            start = w
            for b in rows:
                z = own * (x - b)
                if learner.update == "gradient":
                    w = w + c * (start @ z <= 1.0) * z
                else:
                    w = w + min(c, max(0.0, 1.0 - w @ z) / max(z @ z, 1e-300)) * z
        seen[own] += weight[i]
        size = (own < 0 and learner.negative_buffer_size) or learner.buffer_size
        if len(buffers[own]) < size:
            buffers[own].append(x)
        elif uniforms[i] * seen[own] / weight[i] < size:
            buffers[own][int(uniforms[i] * seen[own] / weight[i])] = x
    return w, np.array(buffers[-1] + buffers[1])


def uniexp(X, y, weight, l2, eta, centre, penalised):
    """Row by row on centred rows, without any of the rearrangements; returns w and the bias for rows as they are."""
    w = np.zeros(X.shape[1])
    b = 0.0
    t = 0
    total = {1: 0.0, -1: 0.0}
    level = {1: 1.0, -1: 1.0}
    for i in range(y.size):
        total[int(y[i])] += weight[i]
        if not all(total.values()):
            continue
        t += 1
        x = X[i] - centre
        p = total[int(y[i])] / sum(total.values())
        loss = np.exp(np.clip(-y[i] * (w @ x + b), -30, 30))
        relative = weight[i] / weight.mean()
        fresh = min(relative / min(t * p + 10.0, 1000.0), 1.0)
        level[int(y[i])] = (1.0 - fresh) * level[int(y[i])] + fresh * min(loss, 20.0)
        step = min(eta / np.sqrt(t) * relative * loss / (2 * p), 5.0 / (1.0 + x @ x))
        strength = l2 if penalised == "row_loss" else l2 / (2.0 * np.sqrt(level[1] * level[-1]))
        w = w / (1.0 + eta / np.sqrt(t) * strength) + step * y[i] * x
        b += step * y[i]
    return w, b - w @ centre
