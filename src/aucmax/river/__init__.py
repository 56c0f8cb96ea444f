"""Online AUC maximisation for river: `pip install '.[river]'`."""

try:
    __import__("river")
except ImportError as error:
    raise ImportError("aucmax.river needs river; install it with: pip install '.[river]'") from error

from aucmax.river.online_auc import OnlineAUC

__all__ = ["OnlineAUC"]
