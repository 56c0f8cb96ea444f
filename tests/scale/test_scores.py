"""Cells and sorted runs against all pairs."""

import resource
from pathlib import Path

import numpy as np
import pytest

from aucmax.metrics import auc_influence, auc_interval, roc_auc
from aucmax.scale import score_runs
from aucmax.scale.score_cells import ScoreCells, count_cells, cut_points
from aucmax.scale.score_runs import ScoreRuns


def scored(n=5000, ties=False, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    scores = rng.normal(size=n) + 0.8 * (y > 0)
    return (np.round(scores, 1) if ties else scores), y, rng.uniform(0.2, 3.0, size=n)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_cuts", [3, 50, 10_000])
def test_auc_of_cells_is_within_its_bound(ties, n_cuts):
    scores, y, weight = scored(ties=ties)
    cuts = cut_points(scores[::5], n_cuts)
    auc, bound = ScoreCells(count_cells(cuts, scores, y, weight)).auc()
    assert abs(auc - roc_auc(y, scores, sample_weight=weight)) <= bound + 1e-12
    if ties and n_cuts == 10_000:
        assert bound < 1e-3


def test_auc_is_exact_if_every_score_is_a_cut_point():
    scores, y, weight = scored(500, ties=True)
    auc, bound = ScoreCells(count_cells(cut_points(scores), scores, y, weight)).auc()
    assert bound == 0.0
    assert auc == pytest.approx(roc_auc(y, scores, sample_weight=weight), rel=1e-12)


def test_more_cells_make_the_bound_smaller():
    scores, y, weight = scored(50_000)
    bounds = [ScoreCells(count_cells(cut_points(scores, k), scores, y, weight)).auc()[1] for k in (64, 1024)]
    assert bounds[1] < bounds[0] / 10


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("on_disk", [False, True])
def test_runs_give_the_exact_auc_and_delong(ties, on_disk, tmp_path, monkeypatch):
    monkeypatch.setattr(score_runs, "RUN_ROWS", 300)  # many runs and blocks
    scores, y, weight = scored(ties=ties)
    folder = str(tmp_path) if on_disk else None
    parts = [ScoreRuns.of(scores[k : k + 170], y[k : k + 170], None, folder) for k in range(0, 5000, 170)]
    whole = sum(parts[1:], start=parts[0])
    assert bool(list(tmp_path.iterdir())) == on_disk
    assert len(list(whole.ended().blocks())) > 5
    found = whole.interval()
    expected = auc_interval(y, scores)
    assert found.auc == expected.auc  # to the last bit
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    parts = [
        ScoreRuns.of(scores[k : k + 170], y[k : k + 170], weight[k : k + 170], folder) for k in range(0, 5000, 170)
    ]
    weighted = sum(parts[1:], start=parts[0]).interval()
    assert weighted.auc == pytest.approx(roc_auc(y, scores, sample_weight=weight), rel=1e-12)
    assert weighted.std_error == pytest.approx(
        np.linalg.norm(auc_influence(y, scores, sample_weight=weight)), rel=1e-10
    )


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc to see which files are mapped")
def test_files_of_runs_are_mapped_only_while_a_block_is_read(tmp_path, monkeypatch):
    """Otherwise their pages count as our memory: 400 MB at 50 million rows."""
    monkeypatch.setattr(score_runs, "RUN_ROWS", 300)
    scores, y, weight = scored()
    parts = [
        ScoreRuns.of(scores[k : k + 170], y[k : k + 170], weight[k : k + 170], str(tmp_path))
        for k in range(0, 5000, 170)
    ]
    merged = sum(parts[1:], start=parts[0]).ended()
    assert len(list(tmp_path.glob("*.npy"))) > 10
    for _block in merged.blocks():
        assert str(tmp_path) not in Path("/proc/self/maps").read_text()


def test_condensed_scores_are_all_scores_or_means_of_neighbours():
    scores, y, weight = scored()
    runs = ScoreRuns.of(scores, y, weight).ended()
    some, labels, weights = runs.condensed()
    assert np.array_equal(np.sort(some), np.sort(scores))
    assert weights.sum() == pytest.approx(weight.sum())
    few, labels, weights = runs.condensed(limit=100)
    assert few.size <= 210
    for side in (1, -1):
        assert weights[labels == side].sum() == pytest.approx(weight[y == side].sum())
        mean = np.average(few[labels == side], weights=weights[labels == side])
        assert mean == pytest.approx(np.average(scores[y == side], weights=weight[y == side]))


def test_a_full_disk_is_reported_with_the_folder(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=f"cannot be sorted in {tmp_path}: .*; free some space"):
            score_runs.stored(score_runs.Run(np.arange(5000.0), None), str(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
