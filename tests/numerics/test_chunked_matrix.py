"""Tables in chunks: each operation and each fit equals that of the same table in memory."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from aucmax import (
    AUCClassifier,
    AUCClassifierCV,
    AUCStackingClassifier,
    AUCTreeClassifier,
    AUMClassifier,
    ContingencySVMClassifier,
    KernelAUCClassifier,
)
from aucmax.losses import LOSSES
from aucmax.numerics.chunked_matrix import BLOCK, ChunkedMatrix, computed_rows
from aucmax.numerics.matrix import dot, transposed_dot
from aucmax.problem.moments import Moments, moments_by_number


class FilePart:
    """Some rows of a file of doubles."""

    def __init__(self, path, start, sizes, dim):
        self.path, self.start, self.sizes, self.dim = path, start, sizes, dim
        self.reads = 0

    def __call__(self, picks):
        self.reads += 1
        offset = 8 * self.start * self.dim
        rows = np.fromfile(self.path, count=sum(self.sizes) * self.dim, offset=offset).reshape(-1, self.dim)
        chunks = np.split(rows, np.cumsum(self.sizes)[:-1])
        return (chunks[pick.chunk] if pick.rows is None else chunks[pick.chunk][pick.rows] for pick in picks)


@pytest.fixture
def chunked(tmp_path):
    def make(X, sizes=((1, 0, 100), (), (37,))):
        """The table in a file, in parts with chunks of these sizes and a last part with the other rows."""
        path = tmp_path / "rows"
        np.ascontiguousarray(X, dtype=float).tofile(path)
        sizes = [*(np.array(part, dtype=int) for part in sizes), np.array([X.shape[0] - sum(map(sum, sizes))])]
        starts = np.cumsum([0, *map(sum, sizes[:-1])])
        parts = [FilePart(path, start, part, X.shape[1]) for start, part in zip(starts, sizes, strict=True)]
        return ChunkedMatrix(parts, sizes, X.shape[1])

    return make


def test_rows_come_in_the_order_asked_for(table, chunked):
    X, _, _ = table(300)
    matrix = chunked(X)
    index = np.random.default_rng(0).permutation(300)[:120]
    np.testing.assert_array_equal(matrix.in_memory(), X)
    np.testing.assert_array_equal(matrix[index].in_memory(), X[index])
    again = np.array([5, 0, 119])
    np.testing.assert_array_equal(matrix[index][again].in_memory(), X[index][again])
    assert matrix[index].shape == (120, 6) and matrix.size == 1800


def test_products_and_moments_equal_those_in_memory(table, chunked):
    X, y, weight = table(300)
    matrix = chunked(X)
    rng = np.random.default_rng(0)
    W, c, index = rng.normal(size=(6, 3)), rng.normal(size=300), rng.permutation(300)[:200]
    np.testing.assert_array_equal(dot(matrix, W), dot(X, W))
    np.testing.assert_array_equal(dot(matrix, W, index), dot(X, W, index))
    np.testing.assert_allclose(transposed_dot(matrix, c), X.T @ c, rtol=1e-12)
    parts = np.array_split(index, 3)
    number = np.full(300, -1)
    for k, part in enumerate(parts):
        number[part] = k
    for full in (True, False):
        for ours, part in zip(moments_by_number(matrix, y, weight, number, 3, full=full), parts, strict=True):
            expected = Moments.of(X, y, weight, full=full, index=part)
            np.testing.assert_allclose(ours.within, expected.within, rtol=1e-11, atol=1e-14)
            np.testing.assert_allclose(ours.delta, expected.delta, rtol=1e-11, atol=1e-14)


def test_chunks_are_read_once_for_the_moments_of_all_folds_and_once_for_their_scores(table, chunked):
    X, y, weight = table(300)
    matrix = chunked(X)
    AUCClassifierCV(loss="squared", random_state=0).fit(matrix, y, weight)
    assert [part.reads for part in matrix.parts] == [2, 0, 2, 2]


def test_sums_have_the_same_bits_if_parts_end_where_blocks_of_chunks_do(table, chunked):
    X, y, weight = table(300)
    c = np.random.default_rng(0).normal(size=300)
    one_part = chunked(X, [[15] * 19])
    three_parts = chunked(X, [[15] * BLOCK, [15] * BLOCK, [15] * 3])
    assert transposed_dot(one_part, c).tobytes() == transposed_dot(three_parts, c).tobytes()
    first, second = (Moments.of(matrix, y, weight) for matrix in (one_part, three_parts))
    assert first.within.tobytes() == second.within.tobytes()


LINEAR = [
    *[
        AUCClassifier(loss=loss, alpha=0.1)
        for loss in ("squared", "squared_hinge", "hinge", "exponential", "logistic")
    ],
    AUCClassifier(solver="cg", alpha=0.01),
    AUCClassifier(alpha=0.05, l1_ratio=0.5),
    AUCClassifier(loss="logistic", alpha=0.05, l1_ratio=0.5),
    AUCClassifierCV(random_state=0),
    AUCClassifierCV(loss="logistic", random_state=0, decision="probability"),
    AUCClassifierCV(l1_ratio=0.5, loss="squared", random_state=0),
]


@pytest.mark.parametrize("model", LINEAR, ids=repr)
@pytest.mark.parametrize("shift", [0.0, 1e6], ids=["near", "far"])
def test_a_linear_fit_equals_the_fit_in_memory(table, chunked, model, shift):
    X, y, weight = table(300)
    X = X + shift
    expected = model.fit(X, y, weight)
    coef, intercept, facts = expected.coef_.copy(), expected.intercept_.copy(), vars(expected).copy()
    ours = model.fit(chunked(X), y, weight)
    digits = 1e-9 if shift == 0.0 else 1e-6  # a shift of 1e6 costs six
    np.testing.assert_allclose(ours.coef_, coef, rtol=digits, atol=digits * np.abs(coef).max())
    scores = X @ coef[0] + intercept
    np.testing.assert_allclose(ours.decision_function(chunked(X)), scores, rtol=10 * digits, atol=10 * digits)
    if "cv_auc_" in facts:
        np.testing.assert_allclose(ours.cv_auc_, facts["cv_auc_"], atol=1e-12)
        assert ours.alpha_ == pytest.approx(facts["alpha_"], rel=1e-9) and ours.loss_ == facts["loss_"]


def test_no_rows_add_up_to_nothing(table, chunked):
    X, _, _ = table(300)
    none = chunked(X)[np.empty(0, dtype=int)]
    assert none.shape == (0, 6)
    np.testing.assert_array_equal(transposed_dot(none, np.empty(0)), np.zeros(6))


def test_scores_that_nothing_needs_are_not_computed(table, chunked):
    X, y, _ = table(300)
    reads = {}
    for decision in ("prior", "balanced"):
        matrix = chunked(X)
        AUCClassifier(decision=decision).fit(matrix, y)
        reads[decision] = matrix.parts[0].reads
    assert reads == {"prior": 2, "balanced": 1}


def test_groups_and_splitters_give_the_folds_of_memory(table, chunked):
    X, y, _ = table(300)
    groups = np.arange(300) % 40
    for cv in (5, GroupKFold(4)):
        model = AUCClassifierCV(cv=cv, loss="squared", random_state=0)
        expected = model.fit(X, y, groups=groups).cv_auc_
        np.testing.assert_allclose(model.fit(chunked(X), y, groups=groups).cv_auc_, expected, atol=1e-12)


def test_a_kernel_fit_equals_the_fit_in_memory(chunked):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (np.hypot(X[:, 0], X[:, 1]) + 0.3 * rng.normal(size=600) > 1.2).astype(int)
    model = KernelAUCClassifier(n_components=60, tuning_rows=300, random_state=0)
    expected = model.fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.fit(chunked(X), y).decision_function(chunked(X)), expected, atol=1e-8)


@pytest.mark.parametrize(
    "model", [AUMClassifier(), AUCTreeClassifier(), ContingencySVMClassifier(), AUCStackingClassifier()], ids=repr
)
def test_others_refuse_with_the_remedy(table, chunked, model):
    X, y, _ = table(300)
    with pytest.raises(ValueError, match=r"needs its table in memory.*or X.in_memory\(\) if it fits"):
        model.fit(chunked(X), y)


@pytest.mark.parametrize("solver", ["spam", "sdca", "pair_svrg", "vrspam", "opauc", "mba"])
def test_solvers_of_single_rows_refuse_with_the_remedy(table, chunked, solver):
    X, y, _ = table(300)
    with pytest.raises(ValueError, match=r"visits single rows.*partial_fit"):
        AUCClassifier(solver=solver).fit(chunked(X), y)


def test_unusable_input_is_refused(table, chunked):
    X, y, _ = table(300)
    X[250, 3] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        AUCClassifier().fit(chunked(X), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        AUCClassifier().fit(chunked(X), y[1:])
    model = AUCClassifier().fit(chunked(np.nan_to_num(X)), y)
    with pytest.raises(ValueError, match="X has 5 features, but AUCClassifier is expecting 6"):
        model.decision_function(chunked(X[:, :5]))


def test_computed_rows_of_a_table_in_chunks_are_computed_from_its_chunks(table, chunked):
    X, _, _ = table(300)
    squares = computed_rows(chunked(X), np.square, 6)
    np.testing.assert_array_equal(squares[np.array([299, 3])].in_memory(), X[[299, 3]] ** 2)


def test_every_loss_with_a_full_pass_solver_is_covered():
    covered = {model.loss for model in LINEAR if isinstance(model, AUCClassifier)}
    assert covered == set(LOSSES) - {"sigmoid", "aum"}
