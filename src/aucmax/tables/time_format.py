"""`TimeFormat`: dates and times of a column, in ISO 8601 (`2026-01-31T14:30`), `31.01.2026` or `01/31/2026`.

A time becomes seconds since 1970 in UTC; a time without an offset is taken as UTC. A column of `01/02/2026` alone is
ambiguous, and not read; a single `01/31/2026` says which number is the month.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucmax.tables.cells import Column, is_string, is_time
from aucmax.tables.pyarrow_import import pa, pc

_DATES = {
    "ymd": r"(?P<year>[0-9]{4})[-/](?P<month>[0-9]{1,2})[-/](?P<day>[0-9]{1,2})",
    "dmy": r"(?P<day>[0-9]{1,2})[./-](?P<month>[0-9]{1,2})[./-](?P<year>[0-9]{4})",
    "mdy": r"(?P<month>[0-9]{1,2})[/-](?P<day>[0-9]{1,2})[/-](?P<year>[0-9]{4})",
}
_CLOCK = (
    r"(?:[T ]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:\.[0-9]+)?))?"
    r"(?: ?(?P<half>[AaPp][Mm]))? ?(?P<zone>Z|UTC|[+-][0-9]{2}:?[0-9]{2})?)?"
)
DAY = 86400.0  # seconds
_THURSDAY = 3  # the weekday of 1 January 1970, Monday being 0


@dataclass(frozen=True)
class TimeFormat:
    """How dates and times are written.

    Parameters
    ----------
    order : {"ymd", "dmy", "mdy"}
        The order of year, month and day.
    hour : bool
        Whether a time of day was given in training, so that the hour is a feature.

    Examples
    --------
    >>> from aucmax.tables.cells import as_column
    >>> TimeFormat("dmy").read(as_column(["02.01.1970", "01.01.1970 00:01:30", None])).tolist()
    [86400.0, 90.0, nan]
    >>> TimeFormat("mdy").read(as_column(["31/01/1970"])) is None
    True
    """

    order: str = "ymd"
    hour: bool = False

    kind: ClassVar[str] = "time"

    def __post_init__(self) -> None:
        if self.order not in _DATES or not isinstance(self.hour, bool):
            raise ValueError(f"unknown time format: order {self.order!r}, hour {self.hour!r}")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features of a time."""
        return ("epoch", "weekday", "hour") if self.hour else ("epoch", "weekday")

    @property
    def _pattern(self) -> str:
        """The regular expression of a time, with a named group for each of its parts."""
        return rf"^{_DATES[self.order]}{_CLOCK}$"

    def features(self, seconds: np.ndarray) -> tuple[np.ndarray, ...]:
        """Seconds since 1970, the weekday from Monday = 0 to Sunday = 6, and the hour from 0 up to 24.

        Examples
        --------
        >>> TimeFormat("ymd", hour=True).features(np.array([86400.0 + 1800]))
        (array([88200.]), array([4.]), array([0.5]))
        """
        days, rest = np.divmod(seconds, DAY)
        weekday = (days + _THURSDAY) % 7
        return (seconds, weekday, rest / 3600) if self.hour else (seconds, weekday)

    def read(self, present: Column) -> np.ndarray | None:
        """Seconds since 1970, NaN where the column is null; None if a cell is not a time in this format."""
        if is_time(present):
            return _seconds_of_timestamps(present)
        if not is_string(present):
            return None
        parts = pc.extract_regex(present, self._pattern)
        if parts.null_count > present.null_count:
            return None
        return _seconds(parts.combine_chunks())

    def to_dict(self) -> dict[str, Any]:
        """The format as JSON values."""
        return {"order": self.order, "hour": self.hour}


TIME_FORMATS = tuple(map(TimeFormat, _DATES))


def _seconds_of_timestamps(values: Column) -> np.ndarray:
    microseconds = values.cast(pa.timestamp("us", tz=getattr(values.type, "tz", None)), safe=False)
    return microseconds.cast("int64").cast("float64", safe=False).to_numpy() / 1e6


def _seconds(parts: Any) -> np.ndarray | None:
    """Seconds since 1970 of the matched parts; None if a date does not exist."""
    year, month, day, hour, minute, second = (
        _number(parts, name) for name in ("year", "month", "day", "hour", "minute", "second")
    )
    missing = np.isnan(year)
    if not (missing | ((month >= 1) & (month <= 12))).all():
        return None
    hour, minute, second = (np.nan_to_num(part) for part in (hour, minute, second))
    hour = _hour_of_day(hour, pc.utf8_lower(parts.field("half")))
    months = np.where(missing, 0, (year - 1970) * 12 + month - 1).astype(np.int64).astype("M8[M]")
    days = months.astype("M8[D]").astype(np.int64) + np.where(missing, 0, day - 1)
    last = (months + 1).astype("M8[D]").astype(np.int64)
    if not (missing | ((day >= 1) & (days < last) & (hour < 24) & (minute < 60) & (second < 61))).all():
        return None
    seconds = days * DAY + hour * 3600 + minute * 60 + second - _offset(parts.field("zone"))
    return np.where(missing, np.nan, seconds)


def _number(parts: Any, name: str) -> np.ndarray:
    """A part as float64, NaN where it is empty."""
    cells = parts.field(name)
    cells = pc.if_else(pc.equal(cells, ""), pa.scalar(None, pa.string()), cells)
    return cells.cast("float64").to_numpy(zero_copy_only=False)


def _hour_of_day(hour: np.ndarray, half: Any) -> np.ndarray:
    """The hour from 0 to 23, of a clock of twelve hours where am or pm is written."""
    afternoon = pc.fill_null(pc.equal(half, "pm"), False).to_numpy(zero_copy_only=False)
    twelve = afternoon | pc.fill_null(pc.equal(half, "am"), False).to_numpy(zero_copy_only=False)
    return np.where(twelve, hour % 12 + 12 * afternoon, hour)


def _offset(zones: Any) -> np.ndarray:
    """Seconds ahead of UTC."""
    parts = pc.extract_regex(zones, r"^(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2})$")
    if parts.null_count == len(parts):
        return np.zeros(len(parts))
    sign = np.where(pc.fill_null(pc.equal(parts.field("sign"), "-"), False).to_numpy(zero_copy_only=False), -1.0, 1.0)
    return np.nan_to_num(sign * (_number(parts, "hours") * 3600 + _number(parts, "minutes") * 60))
