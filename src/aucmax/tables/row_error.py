"""`RowError`: something is wrong with a row, whose number can be counted from another row."""

from __future__ import annotations


class RowError(ValueError):
    """An error about one row.

    Parameters
    ----------
    before, after : str
        The message on both sides of the row.
    row : int
        Its number among the rows being read, from 1.

    Examples
    --------
    >>> error = RowError("the label is missing in", 17, "; remove this row")
    >>> str(error), str(error.moved(1000))
    ('the label is missing in row 17; remove this row', 'the label is missing in row 1017; remove this row')
    """

    def __init__(self, before: str, row: int, after: str = ""):
        super().__init__(before, row, after)

    def __str__(self) -> str:
        before, row, after = self.args
        return f"{before} row {row}{after}"

    def moved(self, rows: int) -> RowError:
        """The same error where that many rows come before those being read."""
        before, row, after = self.args
        return RowError(before, row + rows, after)
