"""`check_table`: what may be wrong with a table, as a list of coded findings."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from aucmax.numerics.matrix import is_sparse
from aucmax.tables.as_table import as_table
from aucmax.tables.column_learning import MixedColumnWarning
from aucmax.tables.findings.class_counts import few_of_a_class
from aucmax.tables.findings.copies import find_copies
from aucmax.tables.findings.duplicates import find_duplicates
from aucmax.tables.findings.encoded_columns import find_ids, find_numbers_as_text, find_times, find_uninformative
from aucmax.tables.findings.features import Features, matrix_groups
from aucmax.tables.findings.finding import Finding, check_codes
from aucmax.tables.findings.leaks import find_leaks
from aucmax.tables.fitted_encoder import feature_groups
from aucmax.tables.table import Table
from aucmax.tables.table_encoder import TableEncoder
from aucmax.tables.target import encode_target


def check_table(
    table: Any,
    target: str,
    *,
    pos_label: Any = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> list[Finding]:
    """Findings on a table before a model is fitted to it; the command line shows the same.

    Parameters
    ----------
    table : Table, data frame or Arrow table
        The features and the target.
    target : str
        The column of labels.
    pos_label : optional
        The positive class, as for `encode_target`.
    keep, drop : sequence of str
        Columns to use although they look like ids, and columns to leave out, as for `TableEncoder`.
    ignore : sequence of str
        Codes that are not reported.

    Returns
    -------
    list of Finding
        In the order of their codes (docs/findings.md).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(200) < 0.3
    >>> table = Table({"number": rng.permutation(200), "size": rng.normal(size=200) + y, "fraud": y})
    >>> for finding in check_table(table, "fraud"):
    ...     print(finding.code, finding.columns)
    AUC101 ('number',)
    >>> check_table(table, "fraud", keep=["number"])
    []
    """
    check_codes(ignore)
    table = as_table(table)
    y, _ = encode_target(table, target, pos_label)
    features = table.drop(target)
    encoder = TableEncoder(keep=keep, drop=drop)
    X = fit_quietly(encoder, features)
    return [finding for finding in check_encoded(features, encoder, X, y) if finding.code not in ignore]


def fit_quietly(encoder: TableEncoder, table: Table) -> np.ndarray:
    """`fit_transform` without the warnings that become findings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)
        return encoder.fit_transform(table)


def check_encoded(table: Table, encoder: TableEncoder, X: np.ndarray, y: np.ndarray) -> list[Finding]:
    """Findings on a table without its target, the encoder fitted to it, what that made of it, and labels 0 and 1."""
    features = Features(X, y, feature_groups(encoder.columns_))
    found = [
        *find_ids(encoder.left_out_, table),
        *find_leaks(features),
        *find_copies(features),
        *find_numbers_as_text(encoder.columns_, encoder.left_out_),
        *find_duplicates(features),
        *find_times(encoder.columns_),
        *find_uninformative(encoder.left_out_, features),
    ]
    return [*found, *few_of_a_class(y)]


def check_matrix(X: Any, y: np.ndarray) -> list[Finding]:
    """Findings on a matrix with labels 0 and 1; of a sparse one, on its labels only."""
    few = few_of_a_class(y)
    if is_sparse(X):
        return few
    features = Features(np.asarray(X, dtype=float), y, matrix_groups(X.shape[1]))
    return [*find_leaks(features), *find_copies(features), *find_duplicates(features), *few]
