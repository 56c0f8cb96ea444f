"""Features recomputed from their names, and reference values."""

import numpy as np
from changepoint_problems import numbers, stored, stored_only

from aucmax.changepoint import FEATURE_NAMES, feature_matrix, feature_vector


def feature_by_name(name, values):
    if name.startswith("n."):
        number, transform = float(values.size), name.split(".")[1]
    else:
        series, transform, statistic = name.split(".", 2)
        kind, form = series.split()
        part = {"data": values, "residual": values - np.mean(values), "diff": values[1:] - values[:-1]}[kind]
        part = {"orig": part, "abs": abs(part), "square": part * part}[form]
        if statistic.startswith("quantile"):
            number = np.percentile(part, float(statistic.split(".")[1][:-1]))
        else:
            number = {"sum": np.sum(part), "mean": np.mean(part), "sd": np.sqrt(np.var(part, ddof=1))}[statistic]
    with np.errstate(all="ignore"):
        transforms = {"identity": lambda x: x, "sqrt": np.sqrt, "log": np.log, "square": lambda x: x * x}
        return np.log(np.log(number)) if transform == "loglog" else transforms[transform](number)


def sums_to_zero(name):
    """The sign of the sum of residuals is rounding; ours is zero."""
    return name.startswith("residual orig") and name.endswith(("sum", "mean"))


def test_features_by_their_names():
    values = np.random.default_rng(4).normal(size=37)
    found = dict(zip(FEATURE_NAMES, feature_vector(values), strict=True))
    for name in FEATURE_NAMES:
        if not sums_to_zero(name):
            np.testing.assert_allclose(found[name], feature_by_name(name, values), rtol=1e-10, err_msg=name)


@stored_only
def test_stored_features():
    given = stored("feature_vector")
    assert list(FEATURE_NAMES) == given["names"]
    compared = [not sums_to_zero(name) for name in FEATURE_NAMES]
    found, truth = feature_vector(given["data"])[compared], numbers(given["features"])[compared]
    np.testing.assert_allclose(found, truth, rtol=1e-10)


def test_features_of_large_values_may_be_infinite_but_do_not_warn():
    assert not np.isfinite(feature_vector([1e140, -1e140, 0.0])).all()


def test_shortest_sequences_have_features():
    table = feature_matrix([[2.0], [1.0, 1.0]])
    assert table.shape == (2, len(FEATURE_NAMES)) and table[:, 0].tolist() == [1.0, 2.0]
