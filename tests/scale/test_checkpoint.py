"""A fit that stops half way and is resumed: the same bits; damaged files, changed data and full disks are noticed."""

import os

import numpy as np
import pyarrow as pa
import pytest
from scale.events import make_events, write_parquet
from scale.stopped_fits import Stopped, stop_after
from scipy import sparse

from aucmax import AUCClassifier, AUCClassifierCV, KernelAUCClassifier
from aucmax.scale import fit
from aucmax.scale import source as sources
from aucmax.scale.fit_checkpoint import FitCheckpoint
from aucmax.scale.stored_sums import as_bytes, from_bytes

SETTINGS = {"target": "y", "pos_label": "fraud", "drop": ["w", "g"]}
PATH = AUCClassifierCV(loss="squared", random_state=0)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PARTITION_ROWS", 200)
    return write_parquet(make_events(1500), tmp_path, row_group_size=100)


def bits_of(model):
    last = model[-1]
    return last.score_.terms[0].weights.tobytes() if hasattr(last, "score_") else last.coef_.tobytes()


@pytest.mark.parametrize(
    "estimator",
    [
        PATH,
        AUCClassifier(0.01, loss="logistic", random_state=0),
        AUCClassifierCV([0.1], loss="logistic", random_state=0),
        KernelAUCClassifier("rbf", 10, gamma=0.1, random_state=0),
    ],
    ids=lambda model: f"{type(model).__name__}-{model.loss}",
)
def test_a_fit_goes_on_to_the_last_bit(files, tmp_path, estimator):
    expected = bits_of(fit(files, estimator, **SETTINGS))
    path = tmp_path / "fit.sums"
    stops = 0
    for rows in (700, 900, 2000, 3000):
        try:
            fit(files, estimator, checkpoint=FitCheckpoint(path, 0.0), progress=stop_after(rows), **SETTINGS)
        except Stopped:
            stops += 1
    assert stops >= 2
    assert bits_of(fit(files, estimator, checkpoint=path, **SETTINGS)) == expected


def test_what_was_read_is_not_read_again(files, tmp_path):
    path = tmp_path / "fit.sums"
    fit(files, PATH, checkpoint=path, **SETTINGS)
    seen = []
    fit(files, PATH, checkpoint=path, progress=lambda step: seen.append(step.description), **SETTINGS)
    assert set(seen) == {"scores"}  # which are sorted in temporary files


def stopped(files, path):
    """The checkpoint of a fit that stopped in the second pass."""
    with pytest.raises(Stopped):
        fit(files, PATH, checkpoint=FitCheckpoint(path, 0.0), progress=stop_after(2600), **SETTINGS)
    return path.read_bytes()


def test_changed_data_and_other_settings_are_noticed(files, tmp_path):
    path = tmp_path / "fit.sums"
    stopped(files, path)
    with pytest.raises(ValueError, match="with other settings"):
        fit(files, AUCClassifierCV(loss="squared", random_state=1), checkpoint=path, **SETTINGS)
    os.utime(tmp_path / "part1.parquet", (1, 1))
    with pytest.raises(ValueError, match=r"part1.parquet has changed"):
        fit(files, PATH, checkpoint=path, **SETTINGS)


def test_a_damaged_checkpoint_is_refused(files, tmp_path):
    path = tmp_path / "fit.sums"
    content = stopped(files, path)
    for damaged in (content[:-1], content[:100], b"", b"x" + content[1:], content[:-9] + b"?" + content[-8:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"fit.sums cannot be used: it is damaged"):
            fit(files, PATH, checkpoint=path, **SETTINGS)


def test_a_vanished_or_truncated_file_is_named_and_the_checkpoint_stays(files, tmp_path):
    path = tmp_path / "fit.sums"
    content = stopped(files, path)
    lost = tmp_path / "part2.parquet"
    rows = lost.read_bytes()
    lost.unlink()
    with pytest.raises(ValueError, match=r"part2.parquet has changed, appeared or vanished"):
        fit(files, PATH, checkpoint=path, **SETTINGS)
    lost.write_bytes(rows[:-50])
    with pytest.raises(ValueError, match=r"part2.parquet is not a valid Parquet file"):
        fit(files, PATH, checkpoint=path, **SETTINGS)
    assert path.read_bytes() == content


def test_a_file_that_vanishes_between_passes_is_named(files, tmp_path):
    path = tmp_path / "fit.sums"
    lost = tmp_path / "part2.parquet"

    def progress(step):
        if step.number == 2 and lost.exists():
            lost.unlink()

    with pytest.raises(OSError, match=r"part2\.parquet"):
        fit(files, PATH, checkpoint=FitCheckpoint(path, 0.0), progress=progress, **SETTINGS)
    assert len(from_bytes(path.read_bytes())["results"]) == 1


def test_a_full_disk_leaves_the_last_checkpoint(files, tmp_path, monkeypatch):
    path = tmp_path / "fit.sums"
    content = stopped(files, path)

    def full(file):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("aucmax.tables.atomic_write.os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device.*fit.sums"):
        fit(files, PATH, checkpoint=FitCheckpoint(path, 0.0), **SETTINGS)
    assert path.read_bytes() == content
    assert not list(tmp_path.glob(".*.tmp"))


def test_only_files_can_have_a_checkpoint(tmp_path):
    with pytest.raises(ValueError, match="a checkpoint needs files"):
        fit(make_events(300), PATH, checkpoint=tmp_path / "fit.sums", **SETTINGS)
    with pytest.raises(ValueError, match="needs an integer"):
        fit(make_events(300), AUCClassifierCV(), checkpoint=tmp_path / "fit.sums", **SETTINGS)


def test_values_come_back_as_they_were():
    shared = np.arange(3.0)
    value = {
        "numbers": (1, 2.5, float("inf"), None, True, "text", 2**64),
        "arrays": [shared, shared, np.array([], dtype=np.int32)],
        "sets": frozenset({"a"}),
        "rows": sparse.csr_array(np.eye(2)),
    }
    found = from_bytes(as_bytes(value))
    assert found["numbers"] == value["numbers"] and found["sets"] == value["sets"]
    assert found["arrays"][0] is found["arrays"][1]
    assert found["arrays"][2].dtype == np.int32
    np.testing.assert_array_equal(found["rows"].toarray(), np.eye(2))
    assert np.isnan(from_bytes(as_bytes((float("nan"),)))[0])
    with pytest.raises(TypeError, match="Table cannot be stored"):
        as_bytes(pa.table({"a": [1]}))
