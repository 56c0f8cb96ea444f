"""Pairwise losses: value, gradient, and the lower bounds that certificates are made of."""

from aucmax.losses.area_under_min import AreaUnderMin
from aucmax.losses.exponential import Exponential
from aucmax.losses.hinges import Hinge, SquaredHinge
from aucmax.losses.sigmoid import Sigmoid
from aucmax.losses.squared import Squared, within_product

LOSSES = {loss.name: loss for loss in (Squared, SquaredHinge, Hinge, Exponential, Sigmoid, AreaUnderMin)}

__all__ = ["LOSSES", "AreaUnderMin", "Exponential", "Hinge", "Sigmoid", "Squared", "SquaredHinge", "within_product"]
