"""SPAM and SDCA in passes: the steps in memory in the same order of the rows, for any number of columns."""

import warnings

import numpy as np
import pytest
from scale.events import make_events, write_parquet
from scale.stopped_fits import Stopped, stop_after
from scipy import sparse

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.scale import LocalEngine, fit, passes
from aucmax.scale.fit_checkpoint import FitCheckpoint
from aucmax.scale.memory import check_row_numbers, rows_beside
from aucmax.solvers import CG, SDCA, SPAM, sdca, spam
from aucmax.solvers.shared.visiting_order import shuffled_blocks
from aucmax.validation.inputs import make_rng

CHUNK = 128
ALPHA = 20.0


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(passes, "CHUNK_ROWS", CHUNK)


def sparse_rows(n=700, dim=4000, seed=0):
    """Rows of about eight entries, most of them in frequent columns."""
    rng = np.random.default_rng(seed)
    columns = np.minimum(rng.zipf(1.3, size=(n, 8)) - 1, dim - 1)
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    values = rng.normal(size=columns.shape) + 0.4 * (y[:, None] > 0)
    rows = np.repeat(np.arange(n), 8)
    columns[0, 0] = dim - 1
    X = sparse.csr_array((values.ravel(), (rows, columns.ravel())), shape=(n, dim))
    X.sum_duplicates()
    return X, y


def write_libsvm(path, X, y):
    lines = []
    for i, label in enumerate(y):
        part = slice(X.indptr[i], X.indptr[i + 1])
        pairs = zip(X.indices[part].tolist(), X.data[part].tolist())
        lines.append(f"{int(label)} " + " ".join(f"{j + 1}:{v!r}" for j, v in pairs))
    path.write_text("\n".join(lines) + "\n")


def write_files(folder, X, y, cut=300):
    write_libsvm(folder / "a.svm", X[:cut], y[:cut])
    write_libsvm(folder / "b.svm", X[cut:], y[cut:])
    return str(folder / "*.svm")


@pytest.fixture
def files(tmp_path):
    X, y = sparse_rows()
    return X, y, write_files(tmp_path, X, y)


def chunk_starts(lengths=(300, 400)):
    """First row and size of every chunk; chunks end with their file."""
    first = 0
    for length in lengths:
        for start in range(0, length, CHUNK):
            yield first + start, min(CHUNK, length - start)
        first += length


def orders_of_passes(random_state, run):
    """The order of the rows in every epoch."""
    rng = make_rng(random_state)
    while True:
        seed = int(rng.integers(2**63))
        parts = [a + shuffled_blocks(m, np.random.default_rng([seed, a]), run) for a, m in chunk_starts()]
        yield np.concatenate(parts)


@pytest.mark.parametrize(
    "solver",
    [SPAM(max_epochs=6, tol=0.0), SPAM(max_epochs=3, tol=0.0, average=False, centre=False), SDCA(order="blocks")],
    ids=["spam", "spam-last", "sdca"],
)
def test_epochs_are_those_in_memory_in_the_same_order(files, monkeypatch, solver):
    X, y, glob = files
    with warnings.catch_warnings(action="ignore"):  # of SPAM, which is not run until it converges
        model = fit(glob, AUCClassifier(ALPHA, solver=solver, random_state=5), pos_label=1)
        module, run = (spam, 64) if isinstance(solver, SPAM) else (sdca, 16)
        orders = orders_of_passes(5, run)
        monkeypatch.setattr(module, "shuffled_blocks", lambda n, rng, run=16: next(orders))
        whole = AUCClassifier(ALPHA, solver=solver, random_state=5).fit(X, y)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-9)
    assert model.n_iter_ == whole.n_iter_ and model.solver_ == whole.solver_
    np.testing.assert_allclose(model.objective_, whole.objective_, rtol=1e-12)
    np.testing.assert_allclose(model.gap_, whole.gap_, rtol=1e-5)
    assert [record.epoch for record in model.trace_.records] == [record.epoch for record in whole.trace_.records]


def test_sdca_reaches_the_minimum(files):
    X, y, glob = files
    whole = AUCClassifier(ALPHA, solver=CG(tol=1e-13)).fit(X, y)
    model = fit(glob, AUCClassifier(ALPHA, solver=SDCA(tol=1e-10), random_state=0), pos_label=1)
    assert model.gap_ <= 1e-10 * model.objective_
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-4 * np.abs(whole.coef_).max())


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_spam_ends_within_its_gap(files, l1_ratio):
    X, y, glob = files
    alpha = ALPHA if l1_ratio == 0 else 0.2
    exact = AUCClassifier(alpha, l1_ratio, solver=CG(tol=1e-9, max_epochs=5000)).fit(X, y)
    model = fit(glob, AUCClassifier(alpha, l1_ratio, solver=SPAM(tol=0.4), random_state=0), pos_label=1)
    assert model.gap_ <= 0.4 * model.objective_
    assert 0.0 <= model.objective_ - exact.objective_ + 1e-9 <= model.gap_ + 2e-9


def test_wide_elastic_nets_are_fitted_by_spam_and_ridges_by_cg(files):
    _, _, glob = files
    assert fit(glob, AUCClassifier(ALPHA, random_state=0), pos_label=1).solver_ == "cg"
    assert fit(glob, AUCClassifier(ALPHA, 0.5, random_state=0), pos_label=1).solver_ == "spam"


def test_weights_count_as_copies(tmp_path):
    """Rows of a Parquet file, of which some have weight 0."""
    table = make_events(500)
    weight = np.arange(500) % 3
    table = table.set_column(table.column_names.index("w"), "w", [weight.astype(float)])
    glob = write_parquet(table, tmp_path, row_group_size=100)
    settings = {"target": "y", "pos_label": "fraud", "weight": "w", "drop": ["g"]}
    expected = fit(glob, AUCClassifier(2.0), **settings)[-1]
    model = fit(glob, AUCClassifier(2.0, solver=SDCA(tol=1e-10), random_state=0), **settings)[-1]
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-4 * np.abs(expected.coef_).max())


def test_the_seed_fixes_the_weights_whatever_the_threads(files):
    _, _, glob = files
    estimators = [AUCClassifier(ALPHA, solver=SDCA(tol=1e-3), random_state=seed) for seed in (1, 1, 2)]
    first, again, other = (
        fit(glob, model, pos_label=1, engine=LocalEngine(threads)).coef_
        for model, threads in zip(estimators, (1, 3, 1))
    )
    assert first.tobytes() == again.tobytes() != other.tobytes()


def test_files_sorted_by_label_are_noticed(tmp_path):
    X, y = sparse_rows()
    order = np.argsort(y, kind="stable")
    glob = write_files(tmp_path, X[order], y[order])
    with pytest.warns(RuntimeWarning, match="sorted by label"):
        fit(glob, AUCClassifier(10.0, solver=SPAM(tol=0.9, max_epochs=2), random_state=0), pos_label=1)
    exact = AUCClassifier(ALPHA, solver=CG(tol=1e-13)).fit(X, y)
    model = fit(glob, AUCClassifier(ALPHA, solver=SDCA(tol=1e-10), random_state=0), pos_label=1)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-4 * np.abs(exact.coef_).max())


@pytest.mark.parametrize("solver", [SPAM(tol=0.2), SDCA(tol=1e-6), CG(tol=1e-8)], ids=lambda one: one.name)
def test_a_fit_goes_on_to_the_last_bit(files, tmp_path, solver):
    _, _, glob = files
    estimator = AUCClassifier(ALPHA, solver=solver, random_state=3)
    expected = fit(glob, estimator, pos_label=1)
    path = tmp_path / "fit.sums"
    stops = 0
    for rows in (1000, 1500, 2000, 2600, 3300):
        try:
            fit(glob, estimator, pos_label=1, checkpoint=FitCheckpoint(path, 0.0), progress=stop_after(rows))
        except Stopped:
            stops += 1
    assert stops >= 3
    model = fit(glob, estimator, pos_label=1, checkpoint=path)
    assert model.coef_.tobytes() == expected.coef_.tobytes()
    assert (model.n_iter_, model.gap_) == (expected.n_iter_, expected.gap_)
    assert [one.gap for one in model.trace_.records] == [one.gap for one in expected.trace_.records]


@pytest.mark.parametrize("solver", [SPAM, SDCA, CG])
def test_a_checkpoint_does_not_grow_with_the_epochs(files, tmp_path, solver):
    _, _, glob = files
    sizes = []
    for epochs in (4, 16):
        path = tmp_path / f"{epochs}.sums"
        with warnings.catch_warnings(action="ignore"):
            estimator = AUCClassifier(ALPHA, solver=solver(max_epochs=epochs, tol=0.0), random_state=0)
            fit(glob, estimator, pos_label=1, checkpoint=path)
        sizes.append(path.stat().st_size)
    assert sizes[1] < sizes[0] + 2000


REFUSED = {
    "alpha": (AUCClassifier(0.0, solver="spam"), "alpha=0; solver 'spam' in passes needs a penalty"),
    "l1": (AUCClassifier(0.1, 0.5, solver="sdca"), "SDCA supports the penalties .*'spam'"),
    "step": (AUCClassifier(0.1, solver=SPAM(step=0.1)), "keep step='capped'"),
    "variance": (AUCClassifier(0.1, solver=SPAM(track_variance=True)), "track_variance=False"),
    "solver": (AUCClassifier(0.1, solver="vrspam"), r"solver='vrspam' .* \['exact', 'cg', 'sdca', 'spam'\]"),
    "path": (AUCClassifierCV(), "4000 features: .*solver 'cg', 'sdca' or 'spam'"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_epochs_cannot_do_is_refused(files, kind):
    estimator, message = REFUSED[kind]
    with pytest.raises(ValueError, match=message):
        fit(files[2], estimator, pos_label=1)


def test_workers_are_refused(files):
    class Workers:
        """Stands for an engine of several processes."""

        shared_disk = False
        map_reduce = LocalEngine().map_reduce

    assert fit(files[2], AUCClassifier(ALPHA), pos_label=1, engine=Workers()).solver_ == "cg"
    with pytest.raises(ValueError, match="cannot share the rows among workers; omit engine"):
        fit(files[2], AUCClassifier(ALPHA, solver="sdca"), pos_label=1, engine=Workers())


def test_memory_for_rows_and_columns():
    check_row_numbers(None, 10**12, "sdca")
    check_row_numbers("1GB", 10**7, "sdca")
    with pytest.raises(ValueError, match="keeps a number for each of 100000000 rows, 800 MB"):
        check_row_numbers("1GB", 10**8, "sdca")
    assert rows_beside(100, 4096, "1GB", LocalEngine(2)) == 4096
    assert 256 <= rows_beside(400_000, 4096, "1GB", LocalEngine(2)) < 4096
    with pytest.raises(ValueError, match="100000000 features need at least"):
        rows_beside(10**8, 4096, "1GB", LocalEngine(2))
