"""PenaltyRegressor: learned penalties against a constant one, the intercept, invalid input."""

import numpy as np
import pandas as pd
import pytest
from changepoint_problems import learnable, without_errors
from sklearn.base import clone

from aucmax.aum import aum, error_auc
from aucmax.changepoint import PenaltyRegressor, PenaltyTable

QUICK = {"cv": 3, "random_state": 0}


def test_learned_penalties_beat_a_constant_one():
    (X, table), (new_X, new) = learnable(), learnable(seed=1)
    scores = {
        model: PenaltyRegressor(model, **QUICK).fit(X, table).score(new_X, new)
        for model in ("constant", "interval", "aum")
    }
    assert scores["constant"] + 0.1 < min(scores["interval"], scores["aum"])


def test_descent_lowers_aum_and_keeps_the_best_number_of_steps():
    X, table = learnable(noise=2.0)
    model, first = (PenaltyRegressor(name, cv=3, random_state=5).fit(X, table) for name in ("aum", "interval"))
    assert model.n_iter_ == int(np.argmax(model.trace_["validation_auc"])) > 0
    errors = table.error_functions()
    assert aum(errors, -model.predict(X)).value < aum(errors, -first.predict(X)).value


def test_intercept_has_the_fewest_errors():
    X, table = learnable(noise=2.0)
    model = PenaltyRegressor(**QUICK).fit(X, table)
    pred = model.predict(X)
    shifts = np.linspace(-5, 5, 1001)
    assert table.errors_at(pred).sum() <= min(table.errors_at(pred + shift).sum() for shift in shifts)
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, pred, atol=1e-12)


def test_sequences_without_labels_have_no_effect():
    X, table = learnable()
    columns = (table.example, len(table)), (table.min_log_lambda, -np.inf), (table.fp, 0), (table.fn, 0)
    longer = PenaltyTable.from_rows(*(np.append(*column) for column in columns), np.append(table.n_labels, 0))
    model = PenaltyRegressor(**QUICK)
    plain = clone(model).fit(X, table).predict(X)
    np.testing.assert_array_equal(model.fit(np.vstack([X, np.full(5, 9.0)]), longer).predict(X), plain)


def test_same_seed_gives_the_same_model():
    X, table = learnable()
    first, second = (PenaltyRegressor(**QUICK).fit(X, table) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_other_column_names_or_order_than_in_training_are_refused():
    X, table = learnable()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = PenaltyRegressor(**QUICK).fit(frame, table)
    assert model.n_features_in_ == 5 and list(model.feature_names_in_) == list("abcde")
    np.testing.assert_array_equal(model.predict(frame), PenaltyRegressor(**QUICK).fit(X, table).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("edcba")])


def test_auc_does_not_depend_on_the_intercept():
    X, table = learnable()
    pred = PenaltyRegressor(**QUICK).fit(X, table).predict(X)
    assert error_auc(table.error_functions(), -pred) == pytest.approx(error_auc(table.error_functions(), 7.0 - pred))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: PenaltyRegressor("ridge").fit(*learnable()), "model='ridge'; give one of"),
        (
            lambda: PenaltyRegressor(validation_fraction=1.0).fit(*learnable()),
            "validation_fraction=1.0; give a number",
        ),
        (
            lambda: PenaltyRegressor(validation_fraction=None).fit(*learnable()),
            "validation_fraction=None; give a number",
        ),
        (lambda: PenaltyRegressor(cv="5").fit(*learnable()), "cv='5'; give an integer of 2 or more"),
        (lambda: PenaltyRegressor().fit(learnable()[0][:5], learnable()[1]), "X has 5 rows, but the table 40"),
        (lambda: PenaltyRegressor().fit(np.eye(2), without_errors([0, 0])), "no sequence has a label"),
        (lambda: PenaltyRegressor().fit(np.eye(2), without_errors([1, 1])), "very small penalty"),
        (lambda: PenaltyRegressor(descent="x").fit(*learnable()), "descent='x'; give None or a Descent"),
        (lambda: PenaltyRegressor(descent={}).fit(*learnable()), "descent={}; give None or a Descent"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()
