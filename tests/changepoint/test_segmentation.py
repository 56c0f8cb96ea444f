"""Segmentation: invalid parameters, and the hint where ruptures is missing; the rest is in tests/extras."""

import sys

import numpy as np
import pytest

from aucmax.changepoint import segment


@pytest.mark.parametrize("max_segments", ["20", np.inf, 2.7, 0, True])
def test_max_segments_must_be_a_positive_integer(max_segments):
    with pytest.raises(ValueError, match=f"max_segments={max_segments!r}; give an integer of 1 or more"):
        segment([1.0, 2.0], max_segments=max_segments)


def test_segmentation_without_ruptures_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ruptures", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install '.\[changepoint\]'"):
        segment([1.0, 2.0, 3.0])
