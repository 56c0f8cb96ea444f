"""`TableEncoder`: how the columns of a table become numbers, learned once and applied to every later table.

Numbers stay numbers, however they are written; booleans become 0 and 1; times become seconds, weekday and hour;
strings with few distinct values are one-hot encoded. Missing numbers are imputed by the median of the training rows.
Where values were missing in training, a further feature indicates it. Columns that cannot be used are left out, with
the reason. Columns are found by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from aucmax.tables.as_table import as_table, has_names
from aucmax.tables.column_learning import Learned, decimal_separator, learn_column
from aucmax.tables.column_summary import ColumnSummary, summarize
from aucmax.tables.fitted_encoder import FittedEncoder
from aucmax.tables.table import Table
from aucmax.validation.params import Integer, Option, check_param


class TableEncoder(TransformerMixin, FittedEncoder, BaseEstimator):
    """Columns of numbers, booleans, categories and times, with missing values, as an array of numbers.

    The command line encodes its tables with it: `make_pipeline(TableEncoder(), AUCClassifierCV())` is what
    `aucmax fit` fits. Accepts data frames of pandas and polars, Arrow tables, arrays, and what `aucmax.tables.read`
    returns.

    Parameters
    ----------
    max_categories : int
        A column of strings with more distinct values than this, or than half its rows, is free text and left out.
    decimal : {"auto", ".", ","}
        The decimal separator where the cells are ambiguous, as `1,234` is; by default a comma if another column has
        decimal commas.
    keep : sequence of str
        Columns to use although they look like ids.
    drop : sequence of str
        Columns to leave out.

    Attributes
    ----------
    columns_ : tuple of ColumnEncoder
        The columns that are used, with what was learned of each.
    left_out_ : dict of str to str
        The columns that are not, each with the reason.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : array of str
        Their names, if they had any.

    Examples
    --------
    >>> table = {"age": ["31", "", "42", "50"], "town": ["Rome", "Oslo", "Rome", "Oslo"], "planet": ["Earth"] * 4}
    >>> encoder = TableEncoder().fit(Table(table))
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'age is missing', 'town=Oslo', 'town=Rome']
    >>> encoder.left_out_
    {'planet': "constant: all values are 'Earth'"}
    >>> encoder.transform(Table(table))[:2]
    array([[31.,  0.,  0.,  1.],
           [42.,  1.,  1.,  0.]])
    """

    _order: ClassVar[Literal["C", "F"]] = "C"  # as compiled loops take it

    def __init__(
        self, max_categories: int = 100, decimal: str = "auto", keep: Sequence[str] = (), drop: Sequence[str] = ()
    ):
        self.max_categories = max_categories
        self.decimal = decimal
        self.keep = keep
        self.drop = drop

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Infer from the training rows what every column holds; y is ignored.

        Parameters
        ----------
        X : data frame, Arrow table or Table
        y : ignored
            For compatibility with scikit-learn.
        """
        self._learn(self._check_table(X))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and encode the same rows; y is ignored.

        Parameters
        ----------
        X : data frame, Arrow table or Table
        y : ignored
            For compatibility with scikit-learn.
        """
        table = self._check_table(X)
        return self._encode(table, self._learn(table), self._order)

    def fit_summaries(self, summaries: Mapping[str, ColumnSummary]) -> TableEncoder:
        """Fit to summaries of the columns, such as the sums of those of several partitions.

        Parameters
        ----------
        summaries : dict of column name to summary
            What a pass over the rows has collected of each column.

        Examples
        --------
        >>> parts = [Table({"a": ["1", "2"]}), Table({"a": ["2,5", "NA"]})]
        >>> first, last = ({"a": summarize(part.columns["a"], 100)} for part in parts)
        >>> TableEncoder().fit_summaries({"a": first["a"] + last["a"]}).columns_[0].median
        2.0
        """
        self._learn_summaries(summaries)
        return self

    def _check_table(self, X: Any) -> Table:
        """X as a table with named columns; stores their number and names."""
        table = as_table(X)
        self.n_features_in_ = len(table.names)
        if has_names(X):
            self.feature_names_in_ = np.array(table.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return table

    def _learn(self, table: Table) -> dict[str, np.ndarray]:
        check_param("max_categories", self.max_categories, Integer(1))
        for name in (*self.keep, *self.drop):
            table.column(name)
        return self._learn_summaries(
            {name: summarize(values, self.max_categories) for name, values in table.columns.items()}
        )

    def _learn_summaries(self, summaries: Mapping[str, ColumnSummary]) -> dict[str, np.ndarray]:
        """Set the columns; returns the numbers of those that hold any."""
        check_param("max_categories", self.max_categories, Integer(1))
        check_param("decimal", self.decimal, Option("auto", ".", ","))
        decimal = decimal_separator(summaries.values()) if self.decimal == "auto" else self.decimal
        outcomes: dict[str, Learned | str] = {
            name: "dropped as asked"
            if name in self.drop
            else learn_column(name, summary, self.max_categories, decimal, name in self.keep)
            for name, summary in summaries.items()
        }
        learned = {name: outcome for name, outcome in outcomes.items() if not isinstance(outcome, str)}
        left_out = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, str)}
        unusable = {name: left_out[name] for name in self.keep if name in left_out}
        if unusable:
            raise ValueError(f"some columns cannot be kept: {unusable}")
        if not learned:
            n_rows = max((summary.n_rows for summary in summaries.values()), default=0)
            raise ValueError(f"no column can be used as a feature (n_samples = {n_rows}); left out: {left_out}")
        self.columns_ = tuple(encoder for encoder, _ in learned.values())
        self.left_out_ = left_out
        self.n_features_in_ = len(summaries)
        return {name: numbers for name, (_, numbers) in learned.items() if numbers is not None}

    def transform(self, X: Any) -> np.ndarray:
        """The rows as a float64 array; columns that did not occur in training are ignored.

        Parameters
        ----------
        X : data frame, Arrow table or Table
        """
        check_is_fitted(self)
        return super().transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the encoded features; `input_features` is ignored, but must match if given.

        Parameters
        ----------
        input_features : ignored
            For compatibility with scikit-learn.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            if names is not None and not np.array_equal(input_features, names):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(input_features) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features ({self.n_features_in_})"
                )
        return super().get_feature_names_out()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def to_dict(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        check_is_fitted(self)
        return super().to_dict()
