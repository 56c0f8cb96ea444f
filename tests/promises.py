"""How accurate a certified solver must be on small tables, relative to the objective, and within how many epochs."""

from typing import NamedTuple

from aucmax.solvers import SOLVERS


class Promise(NamedTuple):
    gap: float = 1e-6
    epochs: int = 1000
    in_ball: bool = False  # whether it minimises the loss over a ball instead of the penalised objective


KNOWN = {
    "exact": Promise(1e-12, 5),
    "cg": Promise(1e-12, 200),
    "newton": Promise(1e-9, 100),
    "cutting_plane": Promise(1e-4, 300),
    "sdca": Promise(1e-10, 500),
    "pair_svrg": Promise(1e-10, 500),
    "spam": Promise(2e-2, 300),
    "vrspam": Promise(1e-10, 300),
    "solam": Promise(2e-2, 300),
    "fsauc": Promise(0.2, 300, in_ball=True),
    "spdam": Promise(1e-10, 2000),
    "mba": Promise(2e-2, 300),
}
PROMISES = {name: KNOWN.get(name, Promise()) for name, kind in SOLVERS.items() if kind.certified}
