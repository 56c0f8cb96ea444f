"""PyTorch losses for AUC maximisation: `pip install '.[torch]'`."""

try:
    __import__("torch")
except ModuleNotFoundError:
    message = "aucmax.torch needs PyTorch; install it with: pip install '.[torch]'"
    raise ModuleNotFoundError(message, name="torch") from None

from aucmax.torch.aum import AUMLoss
from aucmax.torch.logistic import PairwiseLogisticLoss
from aucmax.torch.pairwise import PairwiseSquaredHingeLoss, PairwiseSquaredLoss

__all__ = ["AUMLoss", "PairwiseLogisticLoss", "PairwiseSquaredHingeLoss", "PairwiseSquaredLoss"]
