"""Plots of sequences: violated labels are framed, invalid changes refused."""

import numpy as np
import pytest

from aucmax.changepoint import plot_sequence


def test_plot_frames_violated_labels():
    data = np.repeat([0.0, 3.0], 20)
    ax = plot_sequence(data, [(0, 10, "0changes"), (12, 25, "1change"), (30, 38, ">0changes")], [5, 20])
    shown = ax.get_legend().get_texts()
    assert [text.get_text() for text in shown] == [
        "0changes", "1change", ">0changes", "false positive", "false negative", "change",
    ]  # fmt: skip


def test_plot_accepts_labels_from_an_iterator_and_changes_in_any_order():
    labels, data = [(0, 10, "0changes"), (12, 25, "1change")], np.repeat([0.0, 3.0], 20)
    ax = plot_sequence(data, iter(labels), [20, 5])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "0changes",
        "1change",
        "false positive",
        "change",
    ]
    for changes in ([0, 5], [5, 40]):
        with pytest.raises(ValueError, match="at least one value before it and one after"):
            plot_sequence(data, labels, changes)
