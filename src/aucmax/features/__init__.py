"""Features of a kernel: coordinates of the rows, landmarks among them, and the Nystroem map."""

from aucmax.features.coordinates import Coordinates, Ranks
from aucmax.features.kernels import KERNELS, Kernel
from aucmax.features.landmarks import LANDMARKS, choose_landmarks
from aucmax.features.nystroem import Nystroem

__all__ = ["KERNELS", "LANDMARKS", "Coordinates", "Kernel", "Nystroem", "Ranks", "choose_landmarks"]
