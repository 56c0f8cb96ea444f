"""A script: convex searches against rational arithmetic, under the compiler flags of the caller."""

import aum_oracle
import numpy as np
from aum_problems import random_problem

from aucmax.aum import exact_line_search

RELATIVE = 1e-11  # crossings that differ by rounding are one row


def is_exact(problem):
    """Whether the interval found is that of rational arithmetic."""
    rows = aum_oracle.clusters(aum_oracle.table(aum_oracle.exact_lines(*problem[1:7])))
    first, last = aum_oracle.first_min(rows)
    found = exact_line_search(problem.errors, problem.pred, problem.direction)
    ends = np.array([first, np.inf if last is None else last], dtype=float)
    return bool(np.allclose([found.first, found.last], ends, rtol=RELATIVE, atol=0.0))


if __name__ == "__main__":
    problems = [random_problem(seed) for seed in range(800)]
    monotone = [problem for problem in problems if problem.errors.monotone]
    print(sum(is_exact(problem) for problem in monotone), len(monotone))
