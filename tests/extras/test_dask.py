"""The Dask engine on a real cluster of two processes."""

import os
import threading
import time

import numpy as np
import pytest
from extras.page_examples import run_section
from scale.events import make_events, write_parquet

import aucmax
from aucmax import AUCClassifierCV
from aucmax.scale import Source, evaluate, fit
from aucmax.scale import source as sources

pytest.importorskip("distributed")
import dask.array as da
import dask.dataframe as dd
from distributed import Client, LocalCluster

import aucmax.dask
from aucmax.scale.dask import DaskEngine

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Dask and its cluster
SETTINGS = {"target": "y", "pos_label": "fraud", "drop": ["w", "g"]}


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield client


def numbers(n=4000, dim=5):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    return rng.normal(size=(n, dim)) + 0.4 * y[:, None] * np.arange(dim) / dim, y


def test_files_give_the_same_bits_as_one_process(client, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PARTITION_ROWS", 300)
    source = Source.of(write_parquet(make_events(), tmp_path, row_group_size=150))
    assert len(source) > 8
    local = fit(source, AUCClassifierCV(random_state=0), **SETTINGS)
    spread = fit(source, AUCClassifierCV(random_state=0), engine=DaskEngine(client), **SETTINGS)
    assert spread[-1].coef_.tobytes() == local[-1].coef_.tobytes()
    assert spread[-1].cv_auc_.tobytes() == local[-1].cv_auc_.tobytes()
    assert spread[-1].oof_interval_ == local[-1].oof_interval_
    assert evaluate(source, local, target="y", engine=DaskEngine(client)) == evaluate(source, local, target="y")


def test_arrays_are_fitted_as_in_memory(client):
    X, y = numbers()
    lazy_X, lazy_y = da.from_array(X, chunks=(700, 2)), da.from_array(y, chunks=700)
    model = aucmax.dask.AUCClassifierCV(loss="squared", random_state=0).fit(lazy_X, lazy_y)
    whole = aucmax.AUCClassifierCV([model.alpha_], loss="squared", random_state=0).fit(X, y)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-10)
    assert type(model.coef_) is np.ndarray
    assert model.classes_.tolist() == [0, 1]
    scores = model.decision_function(lazy_X)
    assert isinstance(scores, da.Array)
    np.testing.assert_allclose(scores.compute(), model.to_estimator().decision_function(X), rtol=1e-12)
    probabilities = model.predict_proba(lazy_X)
    assert probabilities.shape == (4000, 2)
    np.testing.assert_allclose(probabilities.compute(), model.to_estimator().predict_proba(X), rtol=1e-12)
    assert set(model.predict(lazy_X).compute()) == {0, 1}


def test_weights_are_used(client):
    X, y = numbers()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=y.size)
    arrays = (da.from_array(part, chunks=(900, 5)[: part.ndim]) for part in (X, y, weight))
    model = aucmax.dask.AUCClassifier(alpha=0.1).fit(*arrays)
    whole = aucmax.AUCClassifier(alpha=0.1).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-10)


def test_data_frames_are_encoded(client, tmp_path):
    frame = make_events(2000).drop_columns(["w", "g"]).to_pandas()
    parts = dd.from_pandas(frame, npartitions=4)
    model = aucmax.dask.AUCClassifierCV(random_state=0).fit(parts.drop(columns="y"), parts["y"] == "fraud")
    whole = fit(make_events(2000), AUCClassifierCV(random_state=0), **SETTINGS)
    np.testing.assert_allclose(model.coef_, whole[-1].coef_, rtol=1e-9)
    scores = model.decision_function(parts.drop(columns="y")).compute()
    np.testing.assert_allclose(scores, whole.decision_function(frame.drop(columns="y")), rtol=1e-8)
    aucmax.save(model.to_estimator(), tmp_path / "m.json")
    assert aucmax.load(tmp_path / "m.json").decision_function(frame).shape == (2000,)


def test_other_numbers_of_labels_and_partitions_are_refused(client):
    X, y = numbers(100)
    with pytest.raises(ValueError, match="there must be two"):
        aucmax.dask.AUCClassifier().fit(da.from_array(X), da.from_array(np.arange(100)))
    with pytest.raises(ValueError, match="different numbers of partitions"):
        aucmax.dask.AUCClassifier().fit(da.from_array(X, chunks=(50, 5)), da.from_array(y, chunks=20))


def test_a_row_is_named_by_its_partition_and_its_number_there(client):
    X, y = numbers(1000)
    labels = np.where(np.arange(1000) == 712, np.nan, y)
    weight = np.where(np.arange(1000) == 712, -1.0, 1.0)
    arrays = [da.from_array(part, chunks=(400, 5)[: part.ndim]) for part in (X, y, weight)]
    with pytest.raises(ValueError, match=r"Dask partition 1, rows 1 to 400: the weight .* in row 313;"):
        aucmax.dask.AUCClassifier().fit(*arrays)
    frame = dd.from_dict({"x": X[:, 0], "y": labels}, npartitions=2)
    with pytest.raises(
        ValueError, match=r"Dask partition 1, rows 1 to 500: target 'y' is missing .* first in row 213;"
    ):
        fit(frame, target="y", engine=DaskEngine(client))


def test_threads_of_this_process_are_used_if_there_is_no_client(monkeypatch):
    def no_client():
        raise ValueError("no client")

    monkeypatch.setattr("distributed.default_client", no_client)
    X, y = numbers()
    model = aucmax.dask.AUCClassifier().fit(da.from_array(X, chunks=(700, 2)), da.from_array(y, chunks=700))
    np.testing.assert_allclose(model.coef_, aucmax.AUCClassifier().fit(X, y).coef_, rtol=1e-10)


def test_partitions_without_rows_are_no_obstacle(client):
    X, y = numbers()
    frame = dd.from_dict({f"x{j}": X[:, j] for j in range(5)} | {"y": y, "n": np.arange(y.size)}, npartitions=4)
    settings = {"estimator": AUCClassifierCV(random_state=0), "target": "y", "pos_label": 1, "drop": ["n"]}
    model = fit(frame[frame.n >= 1500], engine=DaskEngine(client), **settings)
    whole = fit(frame.compute()[1500:], **settings)
    np.testing.assert_allclose(model[-1].coef_, whole[-1].coef_, rtol=1e-9)


def test_the_example_of_the_page(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_section("scale.md", "Dask")
    scores = names["scores"].compute()
    assert aucmax.metrics.roc_auc(names["labels"], scores) > 0.7
    np.testing.assert_array_equal(aucmax.load("model.json").decision_function(names["X"].compute()), scores)


class Slow:
    """Rows of a partition, which takes a while; the process that counts partition 3 is killed the first time."""

    def __init__(self, flag):
        self.flag = flag

    def __call__(self, partition):
        time.sleep(0.1)
        if partition.name == "partition 3" and not os.path.exists(self.flag):
            open(self.flag, "w").close()
            os.kill(os.getpid(), 9)
        return sum(map(len, partition.chunks(100)))


def test_a_killed_worker_costs_time_and_not_the_answer(client, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PARTITION_ROWS", 200)
    source = Source.of(make_events(2000))
    flag = str(tmp_path / "killed")
    counted = []
    assert sum(DaskEngine(client).map(source, Slow(flag), counted.append)) == sum(counted) == 2000
    assert os.path.exists(flag)


def test_a_fit_survives_a_killed_worker(client, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PARTITION_ROWS", 200)
    source = Source.of(write_parquet(make_events(6000), tmp_path, row_group_size=100))
    expected = fit(source, AUCClassifierCV(random_state=0), **SETTINGS)
    client.wait_for_workers(2)
    pids = list(client.run(os.getpid).values())
    killer = threading.Timer(0.7, os.kill, (pids[0], 9))
    killer.start()
    model = fit(source, AUCClassifierCV(random_state=0), engine=DaskEngine(client), **SETTINGS)
    killer.join()
    assert model[-1].coef_.tobytes() == expected[-1].coef_.tobytes()
