"""AUM and AUC in rational arithmetic, directly from the definition: the exact answer for small problems.

Every float is read as the exact binary number it is. A problem is a list of lines (intercept, slope, fp, fn), one
per breakpoint, neither sorted nor merged.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np


def exact_lines(example, v, fp, fn, pred, direction):
    """Lines of the breakpoints; the intercept is the rounded difference, as in floating point."""
    columns = [np.asarray(values, dtype=float) for values in (v, fp, fn)]
    rows = zip(np.asarray(example), *columns)
    return [
        (Fraction(float(x - pred[i])), Fraction(-float(direction[i])), Fraction(float(a)), Fraction(float(b)))
        for i, x, a, b in rows
    ]


def areas(thresholds, fp, fn):
    """AUM and AUC of thresholds with changes fp and fn."""
    jumps = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for threshold, a, b in zip(thresholds, fp, fn):
        jumps[threshold][0] += a
        jumps[threshold][1] += b
    false_pos, false_neg = Fraction(0), -sum(fn)
    total_fp, total_fn = sum(fp), false_neg
    aum = auc = Fraction(0)
    before = None
    for threshold in sorted(jumps):
        if before is not None:
            aum += (threshold - before) * min(false_pos, false_neg)
        a, b = jumps[threshold]
        auc += a * ((total_fn - false_neg) + (total_fn - false_neg - b)) / 2
        false_pos, false_neg, before = false_pos + a, false_neg + b, threshold
    return aum, auc / (total_fp * total_fn)


def at(lines, step):
    return areas([a + step * b for a, b, _, _ in lines], [line[2] for line in lines], [line[3] for line in lines])


def table(lines):
    """Rows (step, aum, slope after, auc, auc after) at step 0 and at every crossing of two lines."""
    steps = {Fraction(0)}
    for (a, b, _, _), (a2, b2, _, _) in combinations(set(lines), 2):
        if b != b2 and (a2 - a) / (b - b2) > 0:
            steps.add((a2 - a) / (b - b2))
    steps = sorted(steps)
    rows = []
    for step, following in zip(steps, [*steps[1:], steps[-1] + 2]):
        middle = (step + following) / 2
        (aum, auc), (aum_after, auc_after) = at(lines, step), at(lines, middle)
        rows.append((step, aum, (aum_after - aum) / (middle - step), auc, auc_after))
    return rows


def clusters(rows, tolerance=1e-11):
    """Merge rows whose steps differ by rounding only: first step and AUM, last slope and AUC."""
    groups = []
    for row in rows:
        if groups and row[0] <= groups[-1][0][0] * (1 + Fraction(tolerance)):
            groups[-1].append(row)
        else:
            groups.append([row])
    merged = []
    for before, group in zip([None, *groups], groups):
        auc = group[0][3] if before is None else (before[-1][4] + group[-1][4]) / 2
        slope = group[-1][2] if abs(group[-1][2]) > tolerance else Fraction(0)  # problems are of unit size
        merged.append((group[0][0], group[0][1], slope, auc, group[-1][4]))
    return merged


def first_min(rows):
    """The closed interval of steps of the first local minimum of AUM; None for infinity."""
    first = 0
    for i, row in enumerate(rows):
        if row[2] > 0:
            return rows[first][0], row[0]
        if row[2] < 0:
            first = i + 1
    return rows[first][0], None


def max_auc(rows, tolerance=1e-11):
    """The open interval of steps of the first local maximum of AUC; None for infinity."""
    first = 0
    for i in range(1, len(rows)):
        change = rows[i][4] - rows[i - 1][4]
        if change < -tolerance:
            return rows[first][0], rows[i][0]
        if change > tolerance:
            first = i
    return rows[first][0], None


def derivatives(lines, example, n_examples):
    """One-sided derivatives by moving one prediction by less than any gap between thresholds."""
    fp, fn = [line[2] for line in lines], [line[3] for line in lines]
    thresholds = [line[0] for line in lines]
    gaps = [b - a for a, b in pairwise(sorted(set(thresholds)))]
    epsilon = min(gaps, default=Fraction(1)) / 4
    here = areas(thresholds, fp, fn)[0]
    sides = []
    for sign in (-1, 1):
        moved = []
        for i in range(n_examples):
            shifted = [t - sign * epsilon * (e == i) for t, e in zip(thresholds, example)]
            moved.append(float((areas(shifted, fp, fn)[0] - here) / (sign * epsilon)))
        sides.append(np.array(moved))
    return sides
