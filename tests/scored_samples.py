"""Labels, scores with ties and weights, and the sums over all pairs that the metrics are compared with."""

import numpy as np


def sample(seed, n=60, levels=7):
    """Labels and scores with heavy ties, and integer weights."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    score = rng.integers(0, levels, n) + y * rng.integers(0, 3, n)
    return y, score / 4.0, rng.integers(0, 4, n) + 1.0 * y


def wins(y, score):
    """Matrix of positives against negatives: 1 won, 1/2 tied, 0 lost."""
    pos, neg = score[y == 1], score[y == 0]
    return (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)


def brute_auc(y, score, weight):
    pair_weight = np.outer(weight[y == 1], weight[y == 0])
    return np.sum(wins(y, score) * pair_weight) / np.sum(pair_weight)


def copies(y, score, weight):
    k = weight.astype(int)
    return np.repeat(y, k), np.repeat(score, k)
