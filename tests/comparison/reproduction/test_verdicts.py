"""Verdicts: the rule of the specification, on both sides of its borders."""

import numpy as np
import pytest

from aucmax.comparison.reproduction.verdicts import MeanAUC, agreed_verdict, verdict_of

OURS = MeanAUC(0.9, 0.01, 25, 0.25)  # standard error .01 sqrt(.04 + .25) = .0053852


def printed(mean):
    return MeanAUC(mean, 0.02, 20, 0.25)  # standard error .02 sqrt(.05 + .25) = .0109545


BORDER = 2 * np.sqrt(0.0053851648**2 + 0.0109544512**2)


def test_the_standard_error_counts_shared_rows():
    assert OURS.standard_error == pytest.approx(0.0053851648)
    assert printed(0.9).standard_error == pytest.approx(0.0109544512)


def test_an_estimate_has_the_sample_deviation():
    assert MeanAUC.of([0.8, 0.9], 0.25).deviation == pytest.approx(0.1 / np.sqrt(2))


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.99, "reproduced"), (-0.99, "reproduced"), (1.01, "below"), (-1.01, "above")],
)
def test_two_standard_errors_are_the_border(difference, verdict):
    assert verdict_of(printed(0.9 + difference * BORDER), OURS) == verdict


@pytest.mark.parametrize(("ceiling", "verdict"), [(0.97, "below"), (0.96, "below"), (0.9, "not reachable")])
def test_only_a_number_that_is_significantly_above_the_ceiling_is_not_reachable(ceiling, verdict):
    assert verdict_of(printed(0.965), OURS, MeanAUC(ceiling, 0.01, 25, 0.25)) == verdict


def test_a_number_below_ours_is_never_unreachable():
    assert verdict_of(printed(0.8), OURS, MeanAUC(0.7, 0.001, 25, 0.25)) == "above"


def test_unknown_groupings_must_all_reproduce():
    assert agreed_verdict(["reproduced", "reproduced"]) == "reproduced"
    assert agreed_verdict(["above", "above"]) == "other task"
