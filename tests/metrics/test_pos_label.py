"""Metrics that are rates want to know which label is positive, in scikit-learn's manner."""

import numpy as np
import pytest
from scored_samples import sample
from sklearn import metrics as sk

from aucmax import metrics

RATES = {
    "roc_curve": lambda y, score, **label: np.concatenate(metrics.roc_curve(y, score, **label)[:2]),
    "lift_curve": lambda y, score, **label: np.concatenate(metrics.lift_curve(y, score, **label)[:2]),
    "area_under_lift": metrics.area_under_lift,
    "break_even": metrics.break_even,
    "threshold_for": lambda y, score, **label: metrics.threshold_for(y, score, fpr=0.3, **label),
    "reliability_curve": lambda y, score, **label: (
        metrics.reliability_curve(y, 1 / (1 + np.exp(-score)), **label).observed
    ),
    "f_beta": lambda y, score, **label: metrics.f_beta(y, np.unique(y)[(score > 1).astype(int)], **label),
}


@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
def test_rates_of_strings_need_a_positive_label(rate):
    y, score, _ = sample(3)
    names = np.array(["fraud", "legit"])[y]
    with pytest.raises(ValueError, match=r"labels \['fraud', 'legit'\], so it is unclear which is positive; pass it"):
        rate(names, score)
    with pytest.raises(ValueError, match="pos_label"):  # scikit-learn refuses the same labels
        sk.roc_curve(names, score)
    np.testing.assert_array_equal(rate(names, score, pos_label="legit"), rate(y, score))
    np.testing.assert_array_equal(rate(2 * y - 1, score), rate(y == 1, score))


def test_auc_takes_the_larger_label_as_scikit_learn_does():
    y, score, _ = sample(3)
    names = np.array(["fraud", "legit"])[y]
    assert metrics.roc_auc(names, score) == pytest.approx(sk.roc_auc_score(names, score))
