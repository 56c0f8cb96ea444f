"""Random rows for property tests: few enough for a sum over all pairs, with ties, weights and huge values."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

# The same examples in every run, so that a failure is a failure tomorrow.
few = settings(max_examples=25, deadline=None, derandomize=True, database=None)
fewer = settings(few, max_examples=8)

numbers = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: float(np.float32(x)))
)


@st.composite
def scored_rows(draw, values=numbers, most=25):
    """Labels 0 and 1, both present, scores with ties, and integer weights."""
    n = draw(st.integers(2, most))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 1)))
    y[:2] = (0, 1)
    scores = draw(hnp.arrays(float, n, elements=values))
    weight = draw(hnp.arrays(np.int64, n, elements=st.integers(1, 4)))
    return y, scores, weight


@st.composite
def tables(draw, dim=3, most=25):
    """Rows of moderate numbers, labels -1 and +1, both at least twice, and integer weights."""
    n = draw(st.integers(6, most))
    X = draw(hnp.arrays(float, (n, dim), elements=st.integers(-8, 8).map(lambda i: i / 4)))
    y = np.where(draw(hnp.arrays(bool, n)), 1.0, -1.0)
    y[:4] = (1.0, -1.0, 1.0, -1.0)
    weight = draw(hnp.arrays(np.int64, n, elements=st.integers(1, 3)))
    X[:, 0] += np.arange(n) % 3 + 0.5 * y  # no column is constant, and one of them ranks
    return X, y, weight.astype(float)


def auc_over_pairs(y, scores, weight=None):
    """The definition: the weighted share of pairs in the right order, ties counted half."""
    weight = np.ones(len(y)) if weight is None else weight
    pos, neg = y > 0, y <= 0
    margins = scores[pos][:, None] - scores[neg]
    won = (margins > 0) + 0.5 * (margins == 0)
    products = np.outer(weight[pos], weight[neg])
    return float((won * products).sum() / products.sum())
