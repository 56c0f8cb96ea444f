"""What a fitted model uses: the columns that matter, and what each of them adds to the score of a row."""

from aucmax.explanation.explain import explain_features
from aucmax.explanation.feature_model import FeatureModel, LinearFit
from aucmax.explanation.result import ColumnImportance, Contributions, Explanation

__all__ = ["ColumnImportance", "Contributions", "Explanation", "FeatureModel", "LinearFit", "explain_features"]
