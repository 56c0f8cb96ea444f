"""The optimisation problem: data, moments of the classes, the objective and its certificate, solutions."""

from aucmax.problem.data import Data, automatic_alpha
from aucmax.problem.moments import Moments
from aucmax.problem.objective import Problem, ProblemSpec
from aucmax.problem.solution import Monitor, Record

__all__ = ["Data", "Moments", "Monitor", "Problem", "ProblemSpec", "Record", "automatic_alpha"]
