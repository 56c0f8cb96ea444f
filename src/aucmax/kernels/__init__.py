"""Kernel features: kernel functions, coordinates, landmarks, and the Nystroem map."""

from aucmax.kernels.coordinates import Coordinates, Ranks
from aucmax.kernels.functions import KERNELS, Kernel
from aucmax.kernels.landmarks import LANDMARKS, choose_landmarks
from aucmax.kernels.nystroem import Nystroem

__all__ = ["KERNELS", "LANDMARKS", "Coordinates", "Kernel", "Nystroem", "Ranks", "choose_landmarks"]
