"""The scripts of the gallery run, draw figures, and what their sentences say of the figures is true."""

import numpy as np
import pytest
from example_scripts import EXAMPLES, run_example

NEED_EXTRAS = {"changepoints", "dask", "torch_aum"}  # run by tests/extras/test_examples.py


def slow_solvers_rank_as_well(run):
    last = {name: trace["auc"][-1] for name, trace in run["traces"].items()}
    excess = {name: trace["objective"][-1] / run["optimum"] - 1 for name, trace in run["traces"].items()}
    fast = {"cg", "sdca", "vrspam", "pair_svrg"}
    assert max(last.values()) - min(last.values()) < 0.002
    assert max(excess[name] for name in fast) < 1e-8 and max(excess.values()) > 0.01


def the_path_is_cheap_and_folds_differ_more_than_strengths(run):
    auc = run["model"].cv_auc_
    assert np.ptp(auc.mean(axis=0)) > np.ptp(auc.mean(axis=1))
    assert run["ours"] < run["theirs"]


def averaging_wins_on_average(run):
    assert run["gain"].mean() > 0 and np.sum(run["gain"] > 0) > len(run["gain"]) / 2


def forgetting_recovers(run):
    remembers, forgets = run["curves"].values()
    at = {rows: rows // run["batch"] - 2 for rows in (6_000, 9_000)}
    assert abs(remembers[at[6_000]] - forgets[at[6_000]]) < 0.01
    assert forgets[at[9_000]] > forgets[at[6_000]]
    assert (forgets[at[9_000] :] > remembers[at[9_000] :]).all()


def unlearning_restores(run):
    assert run["difference"] < 1e-10
    auc = run["auc"]
    assert auc[29] < auc[19] - 0.05 and auc[44] > auc[43] + 0.02 and auc[44] > auc[19] - 0.01


def the_stack_beats_its_members(run):
    auc = {
        name: run["roc_auc"](run["y_test"], run["scores"](model, run["X_test"]))
        for name, model in run["named"].items()
    }
    assert auc["stack"] == max(auc.values()) and (run["stack"].weights_ > 0.2).all()


def the_cheapest_cut_is_inside(run):
    assert 0 < run["best"] < len(run["cost"]) - 1
    assert run["cost"].min() < run["MISSED"] * run["truth"].sum()


def certificates_are_above_the_truth(run):
    for model in run["models"].values():
        true = model.trace_["objective"] - run["minima"][model.loss]
        assert (model.trace_["gap"] >= true - 1e-10 * np.abs(model.trace_["objective"])).all()


def only_the_squared_loss_turns_to_the_outliers(run):
    falls = {name: auc[0] - auc[-1] for name, auc in run["auc"].items()}
    assert falls.pop("squared") > 0.01 and max(np.abs(list(falls.values()))) < 0.001


def rates_are_kept(run):
    assert 0.005 < run["rate"] < 0.015


def all_verdicts_occur(run):
    assert {row.verdict for row in run["result"].rows} == {
        "better", "worse", "equivalent", "undecided", "reference",
    }  # fmt: skip


def the_steps_order_the_rows(run):
    search = run["exact_line_search"]
    direction = run["descent_direction"](run["BINARY"], run["BINARY_PRED"])
    assert search(run["BINARY"], run["BINARY_PRED"], direction, until="first_min").aum == 0
    direction = run["descent_direction"](run["CHANGEPOINT"], run["CHANGEPOINT_PRED"])
    table = search(run["CHANGEPOINT"], run["CHANGEPOINT_PRED"], direction, until="all").table
    assert table.auc_after.max() > 1


CLAIMS = {
    "auc_path": the_path_is_cheap_and_folds_differ_more_than_strengths,
    "averaging": averaging_wins_on_average,
    "certificates": certificates_are_above_the_truth,
    "convergence": slow_solvers_rank_as_well,
    "drift": forgetting_recovers,
    "lift_and_costs": the_cheapest_cut_is_inside,
    "line_search": the_steps_order_the_rows,
    "losses": only_the_squared_loss_turns_to_the_outliers,
    "probabilities": rates_are_kept,
    "stacking": the_stack_beats_its_members,
    "unlearning": unlearning_restores,
    "verdicts": all_verdicts_occur,
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", CLAIMS)
def test_what_the_figure_is_said_to_show_is_true(name, monkeypatch):
    defined, n_figures = run_example(name, monkeypatch)
    assert n_figures > 0
    CLAIMS[name](defined)


def test_every_example_is_run_by_a_test():
    names = {path.stem.removeprefix("plot_") for path in EXAMPLES.glob("plot_*.py")}
    assert names == set(CLAIMS) | NEED_EXTRAS
