"""The scripts of the gallery that need extras."""

import pytest
from example_scripts import run_example


def test_the_learned_penalty_satisfies_more_labels(monkeypatch):
    pytest.importorskip("ruptures")
    run, n_figures = run_example("changepoints", monkeypatch)
    assert n_figures == 1
    assert run["satisfied"]["aum"] > run["satisfied"]["constant"]


def test_a_cluster_finds_the_weights_of_one_machine(monkeypatch):
    pytest.importorskip("distributed")
    run, n_figures = run_example("dask", monkeypatch)
    assert n_figures == 1 and run["difference"] < 1e-10


def test_a_network_learns_with_aum(monkeypatch):
    pytest.importorskip("torch")
    run, n_figures = run_example("torch_aum", monkeypatch)
    assert n_figures == 1 and run["aum_auc"][-1] > 0.98
