"""`RowError`: an error in one row, whose number can be put right by whoever knows what rows came before."""

from __future__ import annotations


class RowError(ValueError):
    """An error in a row.

    Parameters
    ----------
    text : str
        The message, with `{row}` for the number of the row.
    row : int
        Its index, from 0.

    Examples
    --------
    >>> error = RowError("the weight in row {row} is negative", 4)
    >>> str(error), str(error.after(100))
    ('the weight in row 5 is negative', 'the weight in row 105 is negative')
    """

    def __init__(self, text: str, row: int):
        super().__init__(text.replace("{row}", str(row + 1)))
        self.text = text
        self.row = row

    def after(self, rows: int) -> RowError:
        """The same error with so many rows before."""
        return RowError(self.text, self.row + rows)
