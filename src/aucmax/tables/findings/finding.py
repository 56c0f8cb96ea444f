"""`Finding`: something about a table or a model that a reader should know, with a code, and the list of codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

#: The codes of findings and what each is about.
CODES = {
    "AUC101": "a column that looks like an id; left out unless it is kept",
    "AUC102": "a column that alone ranks the rows almost perfectly: the target may have leaked into it",
    "AUC103": "columns that are copies of each other, up to scale and shift",
    "AUC104": "numbers written as text, and what was done with them",
    "AUC105": "duplicated rows, which end up in training and test folds alike",
    "AUC106": "a column of times, which the folds ignore",
    "AUC107": "columns that are constant or mostly missing",
    "AUC108": "fewer than 20 rows of a class, so that the AUC is uncertain",
    "AUC109": "values to be scored that did not occur in training",
    "AUC201": "a penalty at the edge of its grid",
    "AUC202": "a training AUC far above the cross-validated one",
    "AUC203": "a model equivalent to logistic regression, which is better known",
    "AUC204": "a kernel model or a stack no better than the linear model, which is simpler",
    "AUC205": "a forest or boosting that is better than the linear and kernel models",
    "AUC206": "folds that disagree more than chance allows: a group or time structure is likely",
    "AUC207": "a fit that did not converge",
    "AUC208": "probabilities that are not calibrated",
    "AUC209": "a group of rows that is ranked worse than the others",
}


@dataclass(frozen=True)
class Finding:
    """Something that a reader should know before a result is trusted.

    Parameters
    ----------
    code : str
        One of `CODES`.
    message : str
        What was found, in one line.
    advice : str
        What to do about it.
    columns : tuple of str
        The columns concerned.
    models : tuple of str
        The models concerned.

    Examples
    --------
    >>> finding = Finding("AUC103", "'price' and 'cost' are copies", "leave one out", ("price", "cost"))
    >>> print(finding)
    AUC103 'price' and 'cost' are copies; leave one out
    >>> finding.to_dict()["columns"]
    ['price', 'cost']
    """

    code: str
    message: str
    advice: str
    columns: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_codes([self.code])

    def __str__(self) -> str:
        return f"{self.code} {self.message}; {self.advice}"

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return asdict(self) | {"columns": list(self.columns), "models": list(self.models)}


def check_codes(codes: Iterable[str]) -> None:
    """Refuse codes that do not exist.

    Examples
    --------
    >>> check_codes(["AUC999"])
    Traceback (most recent call last):
    ValueError: unknown code 'AUC999'; the codes are ['AUC101', ...]
    """
    for code in codes:
        if code not in CODES:
            raise ValueError(f"unknown code {code!r}; the codes are {list(CODES)}")


def name_list(names: Iterable[str], most: int = 5) -> str:
    """Quoted names for a message, the first few and how many more there are.

    Examples
    --------
    >>> name_list(["a", "b", "c"]), name_list("abcdefg", most=2)
    ("'a', 'b', 'c'", "'a', 'b' and 5 more")
    """
    names = list(names)
    shown = ", ".join(map(quoted, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def quoted(name: str) -> str:
    """A name in quotation marks, control characters escaped, not longer than a line.

    Examples
    --------
    >>> print(quoted("\\x1b[2Jname"))
    '\\x1b[2Jname'
    """
    text = repr(str(name))
    return text if len(text) <= 80 else f"{text[:76]}...'"
