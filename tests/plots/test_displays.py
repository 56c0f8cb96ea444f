"""Displays: what is drawn equals scikit-learn's curves and brute force; estimators, labels, weights, shared axes."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifier
from aucmax.metrics import auc_interval
from aucmax.plots import CalibrationDisplay, CumulativeGainsDisplay, LiftDisplay, ROCDisplay

plt = pytest.importorskip("matplotlib.pyplot")
RANKING = [ROCDisplay, CumulativeGainsDisplay, LiftDisplay]
ALL = [*RANKING, CalibrationDisplay]


def scored(n=300, seed=0, digits=1):
    """Labels, tied probabilities that are too high, and weights."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    prob = np.round(1.0 / (1.0 + np.exp(-rng.normal(size=n) - 1.5 * y)), digits)
    return y, prob, rng.integers(0, 4, n).astype(float)


def gains_at(share, y, score, weight):
    """Expected share of positives found when a share of all weight is contacted, by decreasing score."""
    found = 0.0
    left = share * weight.sum()
    for value in np.unique(score)[::-1]:
        block = score == value
        part = min(left, weight[block].sum())
        if part > 0:
            found += part * weight[block & (y > 0)].sum() / weight[block].sum()
        left -= part
    return found / weight[y > 0].sum()


@pytest.mark.parametrize("weighted", [False, True])
def test_roc_is_that_of_scikit_learn(weighted):
    y, prob, weight = scored()
    weight = weight if weighted else None
    display = ROCDisplay.from_predictions(y, prob, sample_weight=weight)
    fpr, tpr, _ = roc_curve(y, prob, sample_weight=weight, drop_intermediate=False)
    x, drawn = display.line_.get_data()
    np.testing.assert_allclose(x, fpr, rtol=1e-12)
    np.testing.assert_allclose(drawn, tpr, rtol=1e-12)
    assert display.auc == pytest.approx(roc_auc_score(y, prob, sample_weight=weight), rel=1e-12)
    assert (display.interval is None) == weighted


def test_the_legend_of_roc_has_the_interval_and_the_part_shown():
    y, prob, _ = scored(digits=3)
    low, high = auc_interval(y, prob)[1:3]
    auc = roc_auc_score(y, prob)
    assert ROCDisplay.from_predictions(y, prob).line_.get_label() == f"AUC {auc:.3f} ({low:.3f} to {high:.3f})"
    corner = ROCDisplay.from_predictions(y, prob, max_fpr=0.1, name="m")
    part = roc_auc_score(y, prob, max_fpr=0.1)
    assert corner.line_.get_label() == f"m: AUC {auc:.3f} ({low:.3f} to {high:.3f}); {part:.3f} up to FPR 0.1"
    assert corner.ax_.get_xlim()[1] == 0.1


def test_a_single_row_of_a_class_has_no_interval():
    display = ROCDisplay.from_predictions([0, 0, 1], [0.1, 0.4, 0.3])
    assert display.interval is None and display.line_.get_label() == "AUC 0.500"


@pytest.mark.parametrize("weighted", [False, True])
def test_gains_and_lift_are_those_of_brute_force(weighted):
    y, prob, weight = scored()
    weight = weight if weighted else np.ones(y.size)
    gains = CumulativeGainsDisplay.from_predictions(y, prob, sample_weight=weight)
    lift = LiftDisplay.from_predictions(y, prob, sample_weight=weight)
    for share in (0.003, 0.05, 0.21, 0.5, 0.98, 1.0):
        expected = gains_at(share, y, prob, weight)
        assert np.interp(share, *gains.line_.get_data()) == pytest.approx(expected, rel=1e-12)
        x, drawn = lift.line_.get_data()
        if share >= x[0]:
            nearest = int(np.abs(x - share).argmin())
            assert drawn[nearest] == pytest.approx(gains_at(x[nearest], y, prob, weight) / x[nearest], rel=1e-9)
    assert lift.line_.get_ydata()[-1] == pytest.approx(1.0)
    assert gains.positive == pytest.approx(weight[y > 0].sum() / weight.sum())


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_calibration_is_that_of_scikit_learn(strategy):
    y, prob, _ = scored(digits=9)  # no ties, and 10 bins of 30 rows
    display = CalibrationDisplay.from_predictions(y, prob, strategy=strategy)
    observed, predicted = calibration_curve(y, prob, n_bins=10, strategy=strategy)
    x, drawn = display.line_.get_data()
    np.testing.assert_allclose(x, predicted, rtol=1e-12)
    np.testing.assert_allclose(drawn, observed, rtol=1e-12)


def test_intervals_are_drawn_around_the_share_of_positives():
    y, prob, weight = scored()
    display = CalibrationDisplay.from_predictions(y, prob, sample_weight=weight)
    _, observed, low, high, _ = display.reliability
    (bars,) = display.ax_.collections
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    np.testing.assert_allclose(ends, np.column_stack([low, high]), atol=1e-12)
    assert (low <= observed).all() and (observed <= high).all()


@pytest.mark.parametrize("display", ALL)
@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_from_estimator_is_from_predictions_of_the_positive_class(display, pos_label):
    X = np.random.default_rng(1).normal(size=(200, 3))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    weight = np.arange(200.0)
    options = {"pos_label": pos_label, "sample_weight": weight}
    made = display.from_estimator(model, X, y, **options)
    column = list(model.classes_).index(pos_label)
    expected = display.from_predictions(y, model.predict_proba(X)[:, column], **options)
    np.testing.assert_allclose(made.line_.get_data(), expected.line_.get_data(), rtol=1e-9)
    assert made.name == "Pipeline" and made.name in made.ax_.get_legend().get_texts()[-1].get_text()


@pytest.mark.parametrize("display", RANKING)
def test_models_without_decision_function_use_probabilities_and_ours_scores(display):
    X = np.random.default_rng(1).normal(size=(200, 3))
    y = (X[:, 0] > 0.5).astype(int)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    made = display.from_estimator(forest, X, y)
    expected = display.from_predictions(y, forest.predict_proba(X)[:, 1])
    np.testing.assert_array_equal(made.line_.get_data(), expected.line_.get_data())
    ours = AUCClassifier().fit(X, y)
    expected = display.from_predictions(y, ours.decision_function(X))
    np.testing.assert_array_equal(display.from_estimator(ours, X, y).line_.get_data(), expected.line_.get_data())


@pytest.mark.parametrize("display", ALL)
def test_curves_share_axes_and_lines_of_reference(display):
    y, prob, _ = scored()
    first = display.from_predictions(y, prob, name="one")
    lines = len(first.ax_.get_lines())
    second = display.from_predictions(y, 1.0 - prob, name="cost $5 or $6", ax=first.ax_)
    assert second.ax_ is first.ax_ and second.figure_ is first.figure_
    labels = [text.get_text() for text in second.ax_.get_legend().get_texts()]
    assert len(set(labels)) == len(labels) and any("$5 or $6" in label for label in labels)
    assert not any(text.get_parse_math() for text in second.ax_.get_legend().get_texts())
    curves = lines - sum(line.get_gid() is not None for line in first.ax_.get_lines())
    assert len(first.ax_.get_lines()) == lines + curves


@pytest.mark.parametrize("display", ALL)
def test_plot_draws_again_into_pyplots_current_figure(display, tmp_path):
    y, prob, _ = scored()
    made = display.from_predictions(y, prob)
    before = made.line_.get_data()
    first = made.figure_
    again = made.plot()
    assert again is made and plt.gcf() is made.figure_ is not first
    np.testing.assert_array_equal(again.line_.get_data(), before)
    plt.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000


def test_errors_say_what_to_do():
    X = np.random.default_rng(1).normal(size=(30, 2))
    y = np.arange(30) % 3
    with pytest.raises(ValueError, match="LogisticRegression has 3 classes; fit a classifier to two"):
        ROCDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="AUCClassifier has no probabilities; use a classifier with predict_proba"):
        CalibrationDisplay.from_estimator(AUCClassifier().fit(X, y > 0), X, y > 0)
    with pytest.raises(ValueError, match="pos_label='x' is not a class of the estimator"):
        ROCDisplay.from_estimator(AUCClassifier().fit(X, y > 0), X, y > 0, pos_label="x")
    with pytest.raises(ValueError, match=r"y_prob\[0\] is 2.0, which is not a probability"):
        CalibrationDisplay.from_predictions([0, 1], [2.0, 0.1])
    with pytest.raises(TypeError, match="colour"):
        ROCDisplay.from_estimator(AUCClassifier().fit(X, y > 0), X, y > 0, colour="red")
