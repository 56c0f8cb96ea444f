"""Pairwise losses: value, gradient, and the lower bounds from which certificates are built."""

from aucmax.losses.area_under_min import AreaUnderMin
from aucmax.losses.base import Loss
from aucmax.losses.exponential import Exponential
from aucmax.losses.hinges import Hinge, SquaredHinge
from aucmax.losses.logistic import Logistic
from aucmax.losses.sigmoid import Sigmoid
from aucmax.losses.squared import Squared

#: The losses by name.
LOSSES: dict[str, type[Loss]] = {
    loss.name: loss for loss in (Squared, SquaredHinge, Hinge, Exponential, Logistic, Sigmoid, AreaUnderMin)
}

__all__ = [
    "LOSSES",
    "AreaUnderMin",
    "Exponential",
    "Hinge",
    "Logistic",
    "Loss",
    "Sigmoid",
    "Squared",
    "SquaredHinge",
    "find_loss",
]


def find_loss(name: object) -> Loss:
    """The loss with the given name.

    Parameters
    ----------
    name : str
        A key of `LOSSES`.

    Examples
    --------
    >>> find_loss("hinge").name
    'hinge'
    """
    if not isinstance(name, str) or name not in LOSSES:
        raise ValueError(f"unknown loss {name!r}; choose one of {sorted(LOSSES)}")
    return LOSSES[name]()
