"""`aucmax fit`."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
from command_line import expect_error, fit, run, write

from aucmax.cli.fit_facts import MODEL_FACTS
from aucmax.losses import Squared
from aucmax.models import load
from aucmax.solvers import SOLVERS


def test_fit_reports_its_auc_beside_a_baseline(folder):
    result = run("fit", "data.csv", "--target", "is_fraud", "-o", "model.json")
    shown = result.stdout
    assert "160 rows, 7 features" in shown
    assert "positive class: 'fraud' (the rarer class; choose with --positive): 32 rows, 20 %" in shown
    assert "alpha: " in shown and "logistic" in shown
    assert "cross-validated AUC, 5 folds:" in shown and "undecided" in shown
    assert (folder / "model.json").exists()


@pytest.mark.parametrize("ignored", [(), ("AUC101",), ("AUC107",), ("AUC101", "AUC107")])
def test_columns_that_are_left_out_are_named_once(folder, columns, ignored):
    write("data.csv", columns | {"note": [f"{i % 150} times, as text" for i in range(160)]})
    result = fit("--ignore", ",".join(ignored)) if ignored else fit()
    lines = (result.stderr + result.stdout).splitlines()
    for name in ("id", "planet", "note"):
        assert len([line for line in lines if f"'{name}'" in line or f"left out: {name}: " in line]) == 1
    assert ("left out: id: free text" in result.stdout) == ("AUC101" in ignored)
    assert ("left out: planet: constant" in result.stdout) == ("AUC107" in ignored)


def test_fit_prints_pure_json_with_a_verdict(folder):
    arguments = ("--target", "is_fraud", "-o", "model.json", "--json", "--cv", 3)
    plain = json.loads(run("fit", "data.csv", *arguments).stdout)
    assert plain["positive"] == "fraud" and plain["positives"] == 32 and plain["rows"] == 160
    assert plain["verdict"] in ("better", "worse", "equivalent", "undecided")
    assert {row["name"] for row in plain["out_of_fold"]["rows"]} == {"aucmax", "logistic"}
    assert plain["alpha"] == load("model.json").metadata.training["alpha"]


def test_fit_can_be_quiet(folder):
    result = fit("--quiet")
    assert [line[:15] for line in result.output.splitlines()] == ["warning: AUC101", "warning: AUC107"]
    result = fit("--quiet", "--ignore", "AUC101, AUC107")
    assert result.output == "" and (folder / "model.json").exists()


def test_positive_label_can_be_chosen(folder):
    assert "positive class: 'honest': 128 rows" in fit("--positive", "honest").stdout
    assert load("model.json").metadata.classes == ("fraud", "honest")


def test_the_same_seed_gives_the_same_model(folder):
    models = []
    for seed in (1, 1):
        fit("--seed", seed)
        models.append(load("model.json"))
    assert np.array_equal(models[0].scorer.coef, models[1].scorer.coef)
    assert models[0].metadata.training["auc"] == models[1].metadata.training["auc"]


@pytest.mark.parametrize("arguments", [(), ("--solver", "cg"), ("--alpha", 0.5), ("--l1-ratio", 0.5)])
@pytest.mark.parametrize("demand", ["fpr=0.1", "tpr=0.8", "precision=0.4"])
def test_options_of_fit_and_a_threshold(folder, arguments, demand):
    fit(*arguments, "--threshold-at", demand)
    model = load("model.json")
    assert np.isfinite(model.metadata.threshold)
    if "--alpha" in arguments:
        assert model.metadata.training["alpha"] == 0.5


def test_a_loss_can_be_chosen(folder):
    assert "(squared_hinge loss, L2, solver newton)" in fit("--loss", "squared_hinge").stdout
    assert load("model.json").metadata.training["loss"] == "squared_hinge"
    fit("--loss", "exponential", "--solver", "uniexp")
    assert load("model.json").metadata.training["loss"] == "exponential"
    assert "(logistic loss, L2, solver newton)" in fit("--loss", "logistic").stdout
    assert load("model.json").metadata.training["loss"] == "logistic"


def test_of_several_losses_the_best_on_the_folds_is_kept(folder):
    fit("--loss", "squared, hinge", "--alpha", 0.1)
    kept = load("model.json")
    found = {}
    for loss in ("squared", "hinge"):
        fit("--loss", loss, "--alpha", 0.1)
        found[loss] = load("model.json").scorer.coef
    assert np.array_equal(kept.scorer.coef, found[kept.metadata.training["loss"]])


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("--loss", "cubic"), "unknown ['cubic']; choose from ['auto', 'squared',", 2),
        (("--loss", "squared,hinge", "--solver", "exact"), "--solver exact supports the losses ['squared']", 2),
        (("--loss", "squared", "--solver", "oam"), "--solver oam supports the losses ['hinge']", 2),
        (("--loss", "sigmoid"), "on the command line with --solver", 1),
    ],
)
def test_losses_that_cannot_be_fitted_are_refused(folder, arguments, message, code):
    arguments = ("fit", "data.csv", "--target", "is_fraud", "-o", "model.json", "--no-baseline", *arguments)
    assert message in expect_error(folder, *arguments, code=code)


def test_the_weight_column_is_not_a_feature(folder):
    assert "6 features" in fit("--weight", "copies").stdout
    metadata = load("model.json").metadata
    assert metadata.training["weight"] == "copies" and "copies" not in metadata.feature_names


@pytest.mark.thorough
@pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning")
def test_every_solver_fits_from_the_command_line(folder):
    for name in [name for name, kind in SOLVERS.items() if Squared in kind.losses]:
        fit("--solver", name)
        assert load("model.json").metadata.training["auc"] > 0.7


def test_a_model_goes_where_a_link_points(folder):
    Path("model.json").symlink_to("elsewhere.json")
    fit()
    assert Path("model.json").is_symlink() and load("elsewhere.json").n_features == 7


def test_a_stack_is_fitted_saved_and_scored(folder):
    shown = fit("--stack").stdout
    assert "weights: kernel " in shown and "trees " in shown
    model = load("model.json")
    assert set(model.metadata.training["weights"]) == {"kernel", "trees"}
    assert len(run("score", "data.csv", "--model", "model.json").stdout.splitlines()) == 161


def test_an_average_says_how_many_settings_it_has_and_which_is_the_heaviest(folder):
    shown = fit("--kernel", "auto").stdout
    model = load("model.json")
    facts = model.metadata.training
    assert facts["averaged"] == len(model.scorer.score.terms) > 1
    line = next(line for line in shown.splitlines() if line.startswith("kernel: "))
    start, end = line.split(", the heaviest of ")
    assert start.startswith(f"kernel: {facts['kernel']}") and end == f"{facts['averaged']} settings that are averaged"
    assert "average" in run("fit", "--help").stdout and "best kernel" not in run("fit", "--help").stdout


@pytest.mark.parametrize(
    ("option", "kind", "facts"),
    [
        ((), "linear", {"kernel", "loss", "alpha", "l1_ratio", "solver"}),
        (("--kernel", "rbf"), "kernel", {"kernel", "gamma", "averaged", "loss", "alpha", "l1_ratio", "solver"}),
        (("--stack",), "stack", {"weights"}),
    ],
)
def test_json_names_the_kind_of_model_and_what_was_chosen_for_it(folder, option, kind, facts):
    arguments = ("--target", "is_fraud", "-o", "model.json", "--json", "--cv", 2, "--no-baseline")
    plain = json.loads(run("fit", "data.csv", *arguments, *option).stdout)
    assert plain["kind"] == load("model.json").kind == kind
    assert {name for name in MODEL_FACTS if name in plain} == facts
    assert all(plain[name] is not None for name in facts)


@pytest.mark.parametrize("option", [("--kernel", "rbf"), ("--alpha", 1), ("--l1-ratio", 0.5), ("--loss", "squared")])
def test_a_stack_takes_no_settings_of_single_models(folder, option):
    arguments = ("fit", "data.csv", "--target", "is_fraud", "-o", "m.json", "--stack", *option)
    assert "omit --kernel" in expect_error(folder, *arguments, code=2)


GROUPED = "amount;y\n" + "".join(f"{1 + i % 7},{i % 10}{(i * 37) % 100:02d};{i % 2}\n" for i in range(60))


@pytest.mark.parametrize(("options", "mark"), [([], ""), (["--decimal", ","], "."), (["--decimal", "."], "")])
def test_the_decimal_mark_can_be_given(folder, options, mark):
    """Cells such as 1,234 alone do not tell what the comma stands for."""
    Path("grouped.csv").write_text(GROUPED)
    run("fit", "grouped.csv", "--target", "y", "-o", "model.json", "--no-baseline", "--quiet", *options)
    (column,) = load("model.json").metadata.encoder.columns_
    assert column.high == max(float(line.split(";")[0].replace(",", mark)) for line in GROUPED.split()[1:])


def test_predictions_cut_where_decision_says(folder):
    """`data.csv` has 20 % positives."""
    shares = {}
    for decision in ("prior", "probability", "balanced"):
        fit("--quiet", "--decision", decision)
        lines = run("score", "data.csv", "--model", "model.json").stdout.splitlines()[1:]
        cells = [line.split(",") for line in lines if not line.startswith("warning")]
        shares[decision] = np.mean([cell[-1] == "fraud" for cell in cells])
        if decision == "probability":
            assert all((float(cell[1]) > 0.5) == (cell[-1] == "fraud") for cell in cells)
    assert shares["prior"] == pytest.approx(0.2, abs=0.08)
    assert shares["balanced"] > shares["prior"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--decision", "balanced", "--threshold-at", "fpr=0.1"), "both choose the threshold; give one of them"),
        (("--decision", "probability", "--solver", "spam"), "--decision probability needs probabilities"),
    ],
)
def test_decisions_that_cannot_be_made_are_refused(folder, options, message):
    arguments = ("fit", "data.csv", "--target", "is_fraud", "-o", "model.json", *options)
    assert message in expect_error(folder, *arguments, code=2)
