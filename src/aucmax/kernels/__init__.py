"""Kernel features: kernel functions, the coordinates in which they measure distances, landmarks, the Nystroem map."""
