"""The PyTorch losses: equal to sums over all pairs and to the rest of the library, and differentiable."""

import copy
import doctest
import importlib
import pickle
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

import aucmax
from aucmax.aum import ErrorFunctions, aum
from aucmax.losses import LOSSES
from aucmax.metrics import roc_auc
from aucmax.problem import Data
from aucmax.torch import AUMLoss, PairwiseLogisticLoss, PairwiseSquaredHingeLoss, PairwiseSquaredLoss

ROOT = Path(aucmax.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "torch.md"
ALL = [
    PairwiseSquaredLoss(),
    PairwiseSquaredHingeLoss(),
    PairwiseLogisticLoss(),
    AUMLoss(),
    AUMLoss(standardize=True, rates=True),
]
SMOOTH = [PairwiseSquaredLoss(0.7), PairwiseSquaredHingeLoss(0.7), PairwiseLogisticLoss()]
each = pytest.mark.parametrize("loss", ALL, ids=repr)


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Threads do not speed up small tensors, and wait for each other on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make(n=40, *, ties=False, seed=0, dtype=torch.float64):
    """Scores, labels 0/1 and weights."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, size=n) if ties else 2.0 * rng.normal(size=n)
    labels = torch.from_numpy((np.arange(n) % 3 == 0).astype(int))
    return torch.tensor(scores, dtype=dtype), labels, torch.from_numpy(rng.uniform(0.2, 3.0, size=n)).to(dtype)


def over_pairs(loss, scores, labels, weight):
    """The definition."""
    pos, neg = labels == 1, labels != 1
    z = getattr(loss, "margin", 0.0) - scores[pos][:, None] + scores[neg]
    pair = weight[pos][:, None] * weight[neg]
    terms = {
        PairwiseSquaredLoss: lambda: z**2 / 2,
        PairwiseSquaredHingeLoss: lambda: z.clamp(min=0) ** 2,
        PairwiseLogisticLoss: lambda: torch.nn.functional.softplus(z, threshold=700.0),
    }
    return (pair * terms[type(loss)]()).sum() / pair.sum()


def gradient(loss, scores, *rest):
    leaf = scores.detach().clone().requires_grad_()
    value = loss(leaf, *rest)
    value.backward()
    return value.item(), leaf.grad


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_and_gradient_are_those_over_all_pairs(loss, ties, weighted):
    scores, labels, weight = make(ties=ties)
    value, slope = gradient(loss, scores, labels, weight if weighted else None)
    rest = (labels, weight if weighted else torch.ones_like(weight))
    expected, expected_slope = gradient(lambda s: over_pairs(loss, s, *rest), scores)
    assert value == pytest.approx(expected, rel=1e-12)
    torch.testing.assert_close(slope, expected_slope, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_hessian_is_that_over_all_pairs(loss):
    scores, labels, weight = make(15)
    ours = torch.autograd.functional.hessian(lambda s: loss(s, labels, weight), scores)
    theirs = torch.autograd.functional.hessian(lambda s: over_pairs(loss, s, labels, weight), scores)
    torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize(
    "name, loss",
    [
        ("squared", PairwiseSquaredLoss()),
        ("squared_hinge", PairwiseSquaredHingeLoss()),
        ("logistic", PairwiseLogisticLoss()),
    ],
)
def test_equal_to_the_loss_of_the_classifier(name, loss):
    scores, labels, weight = make()
    data = Data.of(scores.numpy()[:, None], 2.0 * labels.numpy() - 1.0, weight.numpy(), standardize=False)
    expected, _ = LOSSES[name]().value_and_gradient(data, np.ones(1))
    assert loss(scores, labels, weight).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_aum_and_its_mean_derivative_are_those_of_the_error_functions(ties, weighted):
    for seed in range(20):
        scores, labels, weight = make(13, ties=ties, seed=seed)
        rest = (labels, weight) if weighted else (labels,)
        expected = aum(ErrorFunctions.from_labels(*(part.numpy() for part in rest)), scores.numpy())
        value, slope = gradient(AUMLoss(), scores, *rest)
        assert value == pytest.approx(expected.value, rel=1e-12)
        np.testing.assert_allclose(slope, (expected.left + expected.right) / 2, rtol=1e-12, atol=1e-14)


def test_aum_is_the_minimum_sum_of_distances_to_a_threshold():
    scores, labels, weight = make(ties=True)
    beyond = scores[:, None] - scores  # of every row beyond every candidate threshold
    distance = torch.where(labels[:, None] == 1, -beyond, beyond).clamp(min=0)
    least = (weight[:, None] * distance).sum(0).min()
    torch.testing.assert_close(AUMLoss()(scores, labels, weight), least)


def test_aum_of_rates_is_aum_with_normalised_weights():
    scores, labels, weight = make()
    shares = torch.where(labels == 1, weight / weight[labels == 1].sum(), weight / weight[labels == 0].sum())
    torch.testing.assert_close(AUMLoss(rates=True)(scores, labels, weight), AUMLoss()(scores, labels, shares))


def test_standardised_aum_is_invariant_to_scale_and_shift():
    scores, labels, weight = make()
    loss = AUMLoss(standardize=True)
    torch.testing.assert_close(loss(3.0 * scores + 7.0, labels, weight), loss(scores, labels, weight))
    unit = (scores - scores.mean()) / scores.std(correction=0)
    torch.testing.assert_close(loss(scores, labels), AUMLoss()(unit, labels))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("n", [3, 1000])
def test_scores_equal_up_to_rounding_are_not_standardised(dtype, n):
    labels = (torch.arange(n) == 0).int()
    for last in (0.1, 0.1 * (1.0 + torch.finfo(dtype).eps)):
        scores = torch.full((n,), 0.1, dtype=dtype)
        scores[-1] = last
        (value, slope), plain = (gradient(AUMLoss(standardize=each), scores, labels) for each in (True, False))
        assert value == plain[0]
        torch.testing.assert_close(slope, plain[1])


@pytest.mark.parametrize("size", [1e20, 1e-25])
def test_standardised_scores_neither_overflow_nor_underflow(size):
    scores, labels, weight = make(dtype=torch.float32)
    loss = AUMLoss(standardize=True)
    value, slope = gradient(loss, size * scores, labels, weight)
    expected, expected_slope = gradient(loss, scores.double(), labels, weight)
    assert value == pytest.approx(expected, rel=1e-5)
    torch.testing.assert_close(size * slope.double(), expected_slope, rtol=1e-4, atol=1e-5)


def test_rows_of_weight_zero_are_ignored_in_the_standard_deviation():
    scores, labels, weight = make()
    loss, far = AUMLoss(standardize=True), torch.cat((scores, torch.tensor([1e6, -1e6], dtype=scores.dtype)))
    rest = torch.cat((labels, torch.tensor([0, 1]))), torch.cat((weight, torch.zeros(2, dtype=weight.dtype)))
    torch.testing.assert_close(loss(far, *rest), loss(scores, labels, weight))


@each
def test_gradcheck(loss):
    scores, labels, weight = make(15)
    scores.requires_grad_()
    assert gradcheck(lambda s: loss(s, labels, weight), scores)
    assert gradgradcheck(lambda s: loss(s, labels, weight), scores)


@each
def test_a_batch_without_one_class_gives_zero_and_a_gradient_of_zeros(loss):
    scores, labels, weight = make(9, ties=True)
    for rest in ((torch.zeros(9),), (torch.ones(9),), (labels, weight * labels), (labels, weight * (1 - labels))):
        value, slope = gradient(loss, scores, *rest)
        assert value == 0.0 and torch.equal(slope, torch.zeros_like(slope))


@each
def test_an_empty_batch_gives_zero(loss):
    value, slope = gradient(loss, torch.empty(0), torch.empty(0))
    assert value == 0.0 and slope.shape == (0,)


@each
def test_equal_scores_give_a_finite_gradient(loss):
    _, labels, _ = make(9)
    value, slope = gradient(loss, torch.full((9,), 2.0), labels)
    assert np.isfinite(value) and slope.isfinite().all() and (slope[labels == 1] < 0).all()


@each
def test_a_weight_of_two_is_two_copies(loss):
    scores, labels, _ = make(ties=True)
    twice = torch.arange(40) % 4 == 1
    copies = torch.cat((torch.arange(40), torch.arange(40)[twice]))
    weighted = loss(scores, labels, 1.0 + twice)
    torch.testing.assert_close(weighted, loss(scores[copies], labels[copies]))


@each
def test_labels_and_shapes_may_be_given_in_several_ways(loss):
    scores, labels, weight = make()
    expected = loss(scores, labels, weight)
    for written in (labels.bool(), labels.float(), 2 * labels - 1, labels[:, None]):
        assert loss(scores[:, None], written, weight[:, None]) == expected


@each
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_scores_that_are_not_finite_make_loss_and_gradient_nan(loss, bad):
    for row in (0, 1):
        scores, labels, _ = make()
        scores[row] = bad
        value, slope = gradient(loss, scores, labels)
        assert np.isnan(value) and slope.isnan().all()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"scores": torch.zeros(4, 2)}, r"scores has shape \(4, 2\); pass one number per row"),
        ({"scores": torch.tensor(1.0)}, r"scores has shape \(\)"),
        ({"scores": torch.zeros(4, dtype=torch.int64)}, "scores have type torch.int64; pass floating-point"),
        ({"scores": [0.0, 1.0, 0.0, 1.0]}, "scores is a list; pass a torch.Tensor"),
        ({"labels": torch.tensor([0, 1, 1])}, "labels has 3 rows but scores has 4"),
        ({"labels": torch.tensor([-1, 0, 1, 1])}, r"labels are \[-1, 0, 1\]; they must be"),
        ({"labels": torch.tensor([0.0, 0.5, 1.0, 1.0])}, r"labels are \[0.0, 0.5, 1.0\]"),
        ({"labels": torch.tensor([0.0, float("nan"), 1.0, 1.0])}, "labels are .*nan"),
        ({"weight": torch.tensor([1.0, -2.0, 1.0, 1.0])}, r"weight\[1\] is -2; give 0, or a number"),
        ({"weight": torch.tensor([1.0, 1.0, 1.0, float("inf")])}, r"weight\[3\] is inf"),
        ({"weight": torch.ones(4, 4)}, r"weight has shape \(4, 4\)"),
    ],
)
def test_bad_batches_are_refused(change, message):
    batch = {"scores": torch.zeros(4), "labels": torch.tensor([0, 1, 0, 1]), "weight": None} | change
    for loss in ALL:
        with pytest.raises((TypeError, ValueError), match=message):
            loss(**batch)


@pytest.mark.parametrize("margin", [0.0, -1.0, float("nan"), float("inf"), "1", True])
def test_bad_margins_are_refused(margin):
    for kind in (PairwiseSquaredLoss, PairwiseSquaredHingeLoss):
        with pytest.raises(ValueError, match="give a finite number above 0"):
            kind(margin)


@pytest.mark.parametrize("name", ["standardize", "rates"])
@pytest.mark.parametrize("value", ["no", 1, None])
def test_flags_of_aum_are_booleans(name, value):
    with pytest.raises(ValueError, match=f"{name}=.*; give True or False"):
        AUMLoss(**{name: value})


@each
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_single_precision_is_close_to_double_on_many_rows(loss, shift):
    generator = torch.manual_seed(0)
    labels = (torch.rand(100_000, generator=generator) < 0.1).float()
    scores = torch.randn(100_000, generator=generator) + shift * labels
    value, slope = gradient(loss, scores, labels)
    expected, expected_slope = gradient(loss, scores.double(), labels)
    assert value == pytest.approx(expected, rel=1e-6)
    # with rates, the derivative of the row where FN - FP changes sign is off by the rounding of sums over all rows
    assert (slope - expected_slope).norm() < 1e-4 * expected_slope.norm()


def test_single_precision_keeps_a_small_loss_among_large_scores():
    scores, labels, _ = make(1000, dtype=torch.float32)
    scores += 500.0 * (2 * labels - 1)
    scores[0] = 0.5
    scores[1] = 0.25  # the only pair within the margin
    assert PairwiseSquaredHingeLoss()(scores, labels).item() == pytest.approx(0.75**2 / (334 * 666), rel=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [1e-6, 30.0, 1e4, 1e10])
def test_logistic_of_tiny_and_huge_scores(dtype, size):
    scores, labels, weight = make(dtype=dtype)
    loss = PairwiseLogisticLoss()
    value, slope = gradient(loss, size * scores, labels, weight)
    exact = ((size * scores).double(), labels, weight.double())
    expected, expected_slope = gradient(lambda s: over_pairs(loss, s, *exact[1:]), exact[0])
    accuracy = 1e-6 if dtype == torch.float32 else 1e-12
    assert value == pytest.approx(expected, rel=accuracy)
    torch.testing.assert_close(slope.double(), expected_slope, rtol=accuracy, atol=1e-15)


def test_logistic_gradient_passes_on_a_factor_and_penalties_of_the_gradient():
    scores, labels, weight = make(15)
    ours = PairwiseLogisticLoss()
    found = []
    for loss in (ours, lambda *batch: over_pairs(ours, *batch)):
        leaf = scores.clone().requires_grad_()
        (slope,) = torch.autograd.grad(3.0 * loss(leaf, labels, weight), leaf, create_graph=True)
        (slope.square().sum() + loss(leaf, labels, weight)).backward()
        found.append(leaf.grad)
    torch.testing.assert_close(*found, rtol=1e-10, atol=1e-14)


@each
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single(loss, dtype):
    scores, labels, _ = make(dtype=dtype)
    value, slope = gradient(loss, scores, labels)
    assert value == loss(scores.float(), labels).item() and slope.dtype == dtype


@each
def test_autocast_does_not_change_the_value(loss):
    scores, labels, weight = make(dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss(scores, labels, weight)
    assert value == loss(scores, labels, weight)


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


@each
def test_loss_and_gradient_cost_a_few_sorts(loss):
    scores, labels, _ = make(100_000, dtype=torch.float32)
    times = [(seconds(lambda: gradient(loss, scores, labels)), seconds(lambda: torch.sort(scores))) for _ in range(7)]
    ours, sort = np.median(times, axis=0)
    assert ours < 10.0 * sort  # measured: 0.3 to 3.3


@each
def test_training_raises_the_auc_of_new_rows(loss):
    torch.manual_seed(0)
    X = torch.randn(900, 2)
    labels = X.norm(dim=1) < 0.6
    net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    optimiser = torch.optim.Adam(net.parameters(), lr=0.02)

    def test_auc():
        with torch.no_grad():
            return roc_auc(labels[600:].numpy(), net(X[600:])[:, 0].numpy())

    before = test_auc()
    for _ in range(12):
        for rows in torch.randperm(600).split(100):
            optimiser.zero_grad()
            loss(net(X[rows]), labels[rows]).backward()
            optimiser.step()
    assert test_auc() > max(0.9, before + 0.1)


@each
def test_losses_have_no_state_and_can_be_copied_pickled_and_moved(loss):
    scores, labels, weight = make()
    assert loss.state_dict() == {}
    for other in (
        copy.deepcopy(loss),
        pickle.loads(pickle.dumps(loss)),
        copy.deepcopy(loss).to("cpu", torch.float32),
    ):
        assert other(scores, labels, weight) == loss(scores, labels, weight) and repr(other) == repr(loss)


@each
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_equal_on_another_device(loss):
    scores, labels, weight = make()
    moved = loss(scores.cuda(), labels.cuda(), weight.cuda())
    assert moved.is_cuda
    torch.testing.assert_close(moved.cpu(), loss(scores, labels, weight))


def test_without_torch_the_error_names_the_extra(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("aucmax.torch")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install '.\[torch\]'"):
        importlib.import_module("aucmax.torch")


def test_only_its_own_package_imports_torch():
    importers = {
        path.parent.name for path in ROOT.rglob("*.py") if re.search(r"(import|from) torch", path.read_text())
    }
    assert importers == {"torch"}


def test_examples_of_the_page_and_the_docstrings_run():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
    for name in ("aum", "logistic", "pairwise"):
        results = doctest.testmod(importlib.import_module(f"aucmax.torch.{name}"))
        assert results.attempted and not results.failed
