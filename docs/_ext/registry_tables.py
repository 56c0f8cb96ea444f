"""Directives for tables made from the registry of solvers and the results of the benchmarks."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from result_tables import read_result
from sphinx.application import Sphinx

from aucmax.losses import LOSSES
from aucmax.solvers import SOLVERS
from aucmax.solvers.registry import losses_of, solvers_for

ESTIMATORS = {"stack": "AUCStackingClassifier", "kernel": "KernelAUCClassifier", "linear": "AUCClassifierCV"}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register one directive for each table."""
    for name, rows in (
        ("solver-table", solver_table),
        ("default-solvers", default_solvers),
        ("solver-speed", solver_speed),
        ("model-ranks", model_ranks),
    ):
        app.add_directive(name, table_directive(rows))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def table_directive(make_rows) -> type[Directive]:
    """A directive that inserts the Markdown table that a function returns."""

    class Table(Directive):
        """Inserts a table."""

        def run(self) -> list[nodes.Node]:
            header, *rows = make_rows()
            lines = [row_line(header), row_line(["---"] * len(header)), *map(row_line, rows)]
            container = nodes.container()
            self.state.nested_parse(StringList(lines), self.content_offset, container)
            return container.children

    return Table


def row_line(cells: list[str]) -> str:
    """A row in Markdown."""
    return f"| {' | '.join(cells)} |"


def solver_table() -> list[list[str]]:
    """What each solver supports."""
    rows = [["solver", "losses", "penalties", "streams", "certified", ""]]
    for name, solver in SOLVERS.items():
        page = f"[{name}](reference/aucmax.solvers.{solver.__name__}.rst)"
        first_line = (solver.__doc__ or "").strip().splitlines()[0]
        losses, penalties = ", ".join(losses_of(solver)), ", ".join(solver.penalties)
        rows.append([page, losses, penalties, yes(solver.online), yes(solver.certified), first_line])
    return rows


def yes(flag: bool) -> str:
    """A mark, or nothing."""
    return "yes" if flag else ""


def default_solvers() -> list[list[str]]:
    """The solvers that `solver="auto"` chooses from, for each loss, in memory and on a stream."""
    rows = [["loss", 'fit: `"auto"` is', 'stream: `"auto"` is', "other solvers"]]
    for loss in LOSSES:
        default, *others = solvers_for(LOSSES[loss]())
        fit = "exact, or cg where its matrix would be too large" if loss == "squared" else default
        stream, *_ = [*solvers_for(LOSSES[loss](), online=True), "none"]
        rows.append([loss, fit, stream, ", ".join(others)])
    return rows


def solver_speed() -> list[list[str]]:
    """Passes and seconds to a certified relative gap, from the benchmark of convergence."""
    rows = [["solver", "data", "passes", "seconds", "relative gap reached"]]
    for row in read_result("convergence"):
        rows.append([row["solver"], row["data"], row["passes"], row["seconds"], row["relative gap"]])
    return rows


def model_ranks() -> list[list[str]]:
    """Mean AUC, mean rank and median time of models on many sets, from the benchmark of kernels, best rank first."""
    results = {row["set"]: row for row in reversed(read_result("kernel")) if row["half"] == "all"}
    auc, rank, seconds = results["mean AUC"], results["mean rank"], results["seconds per fit, median"]
    models = [name for name in auc if name not in ("set", "half", "rows", "columns", "positives")]
    rows = [["model", "mean AUC", "mean rank", "median seconds of a fit"]]
    for name in sorted(models, key=lambda model: float(rank[model])):
        ours = f"[{ESTIMATORS[name]}](reference/aucmax.{ESTIMATORS[name]}.rst)" if name in ESTIMATORS else name
        rows.append([ours, auc[name], rank[name], seconds[name]])
    return rows
