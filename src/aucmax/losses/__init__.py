"""Pairwise losses: value, gradient, and the lower bounds that certificates are made of."""

from aucmax.losses.exponential import Exponential
from aucmax.losses.hinges import Hinge, SquaredHinge
from aucmax.losses.squared import Squared, within_product

LOSSES = {loss.name: loss for loss in (Squared, SquaredHinge, Hinge, Exponential)}

__all__ = ["LOSSES", "Exponential", "Hinge", "Squared", "SquaredHinge", "within_product"]
