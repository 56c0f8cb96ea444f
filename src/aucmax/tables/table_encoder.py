"""`TableEncoder`: how the columns of a table become numbers, learned once and applied to every later table.

Numbers stay numbers, however they are written; booleans become 0 and 1; times become seconds, weekday and hour;
strings with few distinct values are one-hot encoded. Missing numbers are imputed by the median of the training rows.
Where values were missing in training, a further feature indicates it. Columns that cannot be used are left out, with
the reason. Columns are found by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from aucmax.tables.as_table import as_table, has_names
from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.column_learning import Learned, decimal_separator, learn_column
from aucmax.tables.column_summary import ColumnSummary, summarize
from aucmax.tables.findings.features import FeatureGroup
from aucmax.tables.json_schema import all_strings, check_schema
from aucmax.tables.table import Table
from aucmax.validation.params import Integer, Option, check_param


class TableEncoder(TransformerMixin, BaseEstimator):
    """Columns of numbers, booleans, categories and times, with missing values, as an array of numbers.

    The command line encodes its tables with it: `make_pipeline(TableEncoder(), AUCClassifierCV())` is what
    `aucmax fit` fits. Accepts data frames of pandas and polars, Arrow tables, arrays, and what `aucmax.tables.read`
    returns.

    Parameters
    ----------
    max_categories : int
        A column of strings with more distinct values than this, or than half its rows, is free text and left out.
    decimal : {"auto", ".", ","}
        The decimal separator where the cells do not tell, as in `1,234`; by default a comma if another column has
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
        return self._encode(table, self._learn(table))

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
        table = as_table(X, getattr(self, "feature_names_in_", None))
        if not has_names(X) and len(table.names) != self.n_features_in_:
            raise ValueError(
                f"X has {len(table.names)} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )
        absent = [column.name for column in self.columns_ if column.name not in table.columns]
        if absent:
            raise ValueError(f"the table lacks the columns {absent}; it has {list(table.names[:20])}")
        return self._encode(table, {})

    def _encode(self, table: Table, numbers: dict[str, np.ndarray]) -> np.ndarray:
        """The encoded columns; `numbers` holds those that are read already."""
        X = np.empty((len(table), len(self.get_feature_names_out())))
        start = 0
        for column in self.columns_:
            out = X[:, start : start + len(column.feature_names)]
            if column.name in numbers:
                column.encode_numbers(numbers.pop(column.name), out)
            else:
                column.encode(table.columns[column.name], out)
            start += out.shape[1]
        return X

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
        return np.array([name for column in self.columns_ for name in column.feature_names], dtype=object)

    def count_unknown_categories(self, X: Any) -> dict[str, int]:
        """By column, how many cells hold a category that did not occur in training; all its features are 0.

        Parameters
        ----------
        X : data frame, Arrow table or Table
        """
        table = as_table(X)
        counts = {
            column.name: column.count_unknown_categories(table.columns[column.name]) for column in self.columns_
        }
        return {name: count for name, count in counts.items() if count}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def to_dict(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        check_is_fitted(self)
        return {"columns": [column.to_dict() for column in self.columns_], "left_out": dict(self.left_out_)}

    @classmethod
    def from_dict(cls, content: Any) -> TableEncoder:
        """The fitted encoder that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned.
        """
        check_schema(content, {"columns": (list,), "left_out": (dict,)}, "the encoder")
        left_out = content["left_out"]
        if not all_strings(left_out) or not all_strings(left_out.values()):
            raise ValueError("left_out must map strings to strings")
        columns = tuple(map(ColumnEncoder.from_dict, content["columns"]))
        names = [column.name for column in columns]
        if not names or len(set(names)) < len(columns):
            raise ValueError("there must be at least one column, and column names must be distinct")
        encoder = cls()
        encoder.columns_ = columns
        encoder.left_out_ = dict(left_out)
        encoder.n_features_in_ = len(columns) + len(left_out)
        return encoder


def feature_groups(columns: Sequence[ColumnEncoder]) -> tuple[FeatureGroup, ...]:
    """Which features belong to which column.

    Examples
    --------
    >>> encoder = TableEncoder().fit(Table({"age": ["31", "", "42"], "town": ["Rome", "Oslo", "Rome"]}))
    >>> [(group.name, group.start, group.stop, group.indicator) for group in feature_groups(encoder.columns_)]
    [('age', 0, 1, 1), ('town', 2, 4, None)]
    """
    groups = []
    start = 0
    for column in columns:
        end = start + len(column.feature_names)
        stop = end - column.missing_indicator
        indicator = stop if column.missing_indicator else None
        groups.append(FeatureGroup(column.name, start, stop, column.kind == "categorical", indicator))
        start = end
    return tuple(groups)
