"""The data sets of the tables: which files hold them, how classes are grouped, and what is not to be had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from aucmax import datasets
from aucmax.numerics.matrix import dense


@dataclass(frozen=True)
class PrintedData:
    """A data set of a table."""

    files: tuple[str, ...] = ()  # names of `aucmax.datasets`;
    multiclass: bool = False  # whether classes must be put into two groups
    positive: Any = None  # the positive class, if the task has one
    missing: str = ""  # what is missing where these files are not available
    part: str = ""  # what part of the data is available
    sample: bool = False  # whether that part is too small for a verdict


NOT_TO_BE_HAD = {
    "acoustic": "78,823 rows of 50 columns; LIBSVM (multiclass)",
    "alpha": "500,000 rows of 500 columns; Pascal Large Scale Learning Challenge",
    "beta": "500,000 rows of 500 columns; Pascal Large Scale Learning Challenge",
    "webspam": "350,000 rows of 254 columns; LIBSVM (binary, unigram)",
    "real-sim": "72,309 rows of 20,958 columns; LIBSVM (binary)",
}
SOURCES = {  # in the order in which they are run, small ones first
    "diabetes": PrintedData(("diabetes_scale",)),
    "fourclass": PrintedData(("fourclass_scale",)),
    "german": PrintedData(("german.numer_scale",)),
    "splice": PrintedData(("splice_scale", "splice_scale.t")),
    "ionosphere": PrintedData(("ionosphere_scale",)),
    "svmguide3": PrintedData(("svmguide3",)),
    "arrhythmia": PrintedData(("arrhythmia",)),
    "australian": PrintedData(("australian",)),
    "breastw": PrintedData(("breastw",)),
    "thyroid": PrintedData(("thyroid",)),
    "spambase": PrintedData(("spambase",)),
    "mammography": PrintedData(("mammography",)),
    "usps": PrintedData(("usps", "usps.t"), multiclass=True),
    "letter": PrintedData(("letter.scale", "letter.scale.t"), multiclass=True),
    "a9a": PrintedData(("a9a",)),
    "a9a with its test file": PrintedData(("a9a", "a9a.t")),
    "w8a": PrintedData(("w8a",), part="the training file: 49,749 of 64,700 rows"),
    "cod-rna": PrintedData(("cod-rna_zscore",), part="columns already standardised"),
    "ijcnn1": PrintedData(("ijcnn1", "ijcnn1.t")),
    "mnist": PrintedData(("mnist",), multiclass=True),
    "covtype": PrintedData(("covtype",), multiclass=True),
    "sector": PrintedData(("sector.scale", "sector.scale.t"), multiclass=True),
    "news20": PrintedData(("news20",), multiclass=True),
    "covtype_binary": PrintedData(("covtype",), positive=2),
    "HIGGS": PrintedData(("higgs_slice",), part="7,500 of 11,000,000 rows", sample=True),
    "news20.binary": PrintedData(("news20.binary.sample",), part="500 of 19,996 rows", sample=True),
    "rcv1_binary": PrintedData(
        ("rcv1_vw_sample", "rcv1_vw_sample.t"), part="1,500 rows of RCV1, other ones than LIBSVM's", sample=True
    ),
} | {name: PrintedData((name,), multiclass=name == "acoustic", missing=what) for name, what in NOT_TO_BE_HAD.items()}
GROUPINGS: dict[str, dict[str, Any]] = {
    "even against odd": {"binarize": "even_odd"},
    "random halves": {"binarize": "random_halves", "random_state": 0},
    "": {},
}


def load_rows(name: str, grouping: str = "") -> tuple[Any, np.ndarray]:
    """All rows of a data set, and their labels -1 and +1."""
    source = SOURCES[name]
    options = GROUPINGS[grouping] if source.positive is None else {"binarize": source.positive}
    parts = [datasets.load(file, **options) for file in source.files]
    X = [dense(part.X) if part.X.shape[1] <= 1000 else part.X for part in parts]
    together = sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.vstack(X)
    if source.sample and sparse.issparse(together):  # columns without a value in the sample matter to no method
        together = together[:, np.diff(sparse.csc_array(together).indptr) > 0]
    if name.startswith("covtype"):  # as LIBSVM's covtype.scale: metres and degrees stand among zeros and ones
        together = together / together.max(axis=0)
    return together, np.concatenate([part.y for part in parts])


def is_at_hand(name: str) -> bool:
    """Whether all files of a data set can be loaded here."""
    return bool(SOURCES[name].files) and set(SOURCES[name].files) <= set(datasets.names(available=True))


TABLES = {
    "000, 001: table 1": "diabetes german splice usps letter a9a w8a mnist acoustic ijcnn1",
    "002: table 2": "a9a ijcnn1 covtype_binary HIGGS w8a real-sim rcv1_binary news20.binary",
    "003: tables 3.2, 4.2, 5.2": """diabetes fourclass german splice usps a9a mnist acoustic ijcnn1 covtype sector
        news20""",
    "003: table 6.3": """a9a acoustic alpha beta covtype diabetes fourclass german ijcnn1 ionosphere mnist news20
        sector splice svmguide3 usps""",
    "003: table 6.4": "arrhythmia australian breastw cod-rna mammography spambase thyroid webspam",
}


def tables_needing(file: str) -> list[str]:
    """The printed tables with cells for which a file is needed, and the name of the data set there.

    Examples
    --------
    >>> tables_needing("w8a")
    ['000, 001: table 1 (w8a)', '002: table 2 (w8a)']
    """
    pairs = [(table, name) for table, names in TABLES.items() for name in names.split()]
    return [f"{table} ({name})" for table, name in pairs if file in _files(name, table)]


def _files(name: str, table: str) -> tuple[str, ...]:
    key = "a9a with its test file" if name == "a9a" and table.startswith("002") else name
    return SOURCES[key].files
