"""Labels: errors counted region by region, reference values, invalid labels."""

import numpy as np
import pytest
from changepoint_problems import stored, stored_only

from aucmax.changepoint import label_errors


def random_labels(rng, length=40):
    ends = np.sort(rng.choice(length + 1, size=6, replace=False))
    return [(int(a), int(b), str(rng.choice(["0changes", "1change", ">0changes"]))) for a, b in ends.reshape(3, 2)]


def test_label_errors_count_every_region():
    rng = np.random.default_rng(0)
    for _ in range(200):
        labels = random_labels(rng)
        changes = [np.sort(rng.choice(np.arange(1, 40), size=k, replace=False)) for k in range(6)]
        found = label_errors(changes, rng.permutation(np.array(labels, dtype=object)).tolist())
        for positions, fp, fn in zip(changes, found.fp, found.fn):
            counts = [sum(start < p <= end for p in positions) for start, end, _ in labels]
            kinds = [kind for _, _, kind in labels]
            assert fp == sum((k == "0changes" and c > 0) or (k == "1change" and c > 1) for k, c in zip(kinds, counts))
            assert fn == sum(k != "0changes" and c == 0 for k, c in zip(kinds, counts))


@stored_only
def test_label_errors_of_the_stored_problem():
    given = stored("label_error")
    labels = list(zip(*given["labels"].values()))
    sizes, positions = (np.array(given["changes"][key]) for key in ("n_segments", "position"))
    found = label_errors([positions[sizes == size] for size in given["errors"]["n_segments"]], labels)
    assert (found.fp.tolist(), found.fn.tolist()) == (given["errors"]["fp"], given["errors"]["fn"])


def test_labels_and_changes_may_be_any_iterables():
    labels, changes = [(0, 4, "0changes"), (4, 8, "1change")], [[], [5], [5, 3]]
    truth = label_errors([[], [5], [3, 5]], labels)
    written = np.array(labels, dtype=object), iter(labels), [list(label) for label in labels]
    for other in written:
        found = label_errors(changes, other)
        assert (found.fp.tolist(), found.fn.tolist()) == (truth.fp.tolist(), truth.fn.tolist())


@pytest.mark.parametrize(
    "label, message",
    [
        (("0", 3, "1change"), r"the start or end of label \('0', 3, '1change'\) is not a number"),
        ((0, None, "1change"), "the start or end of label .* is not a number"),
        ((0, 3, ["1change"]), "unknown kind of label"),
        (None, "label None is not a triple"),
        ("abc", "label 'abc' is not a triple"),
        ((0.2, 0.5, "1change"), r"\(0.2, 0.5\] '1change' can never be satisfied"),
    ],
)
def test_invalid_labels_are_refused_with_the_reason(label, message):
    with pytest.raises(ValueError, match=message):
        label_errors([[1]], [label])


def test_regions_that_touch_do_not_overlap():
    assert label_errors([[4]], [(0, 4, "1change"), (4, 8, "0changes")]).fp.tolist() == [0]
