"""What the name of a column suggests: an id, or a time."""

from __future__ import annotations

import re

# Words that mean an id wherever they stand, and words that may, as the last one: `order_nr`, but not `nr_of_rooms`.
_ID_WORDS = {"id", "ids", "uuid", "guid", "uid", "rowid", "objectid", "pk", "kennung"}
_ID_LAST_WORDS = {"key", "nr", "no", "number", "nummer", "index", "idx", "ref", "reference", "code", "hash", "row"}
_COMPOUND = re.compile(
    r"(user|row|order|customer|client|account|session|transaction|device|item|product|person|patient|member|case|"
    r"record|passenger|employee|student|loan|policy|claim|invoice|payment|ticket|event|object|entity|visitor|subject|"
    r"sample|kunden|artikel|auftrags|rechnungs)(id|nr|no)"
)
_TIME_WORDS = {
    *("time", "timestamp", "datetime", "date", "day", "week", "month", "quarter", "year", "hour", "minute", "second"),
    *("epoch", "ts", "created", "updated", "modified", "at", "since", "datum", "zeit", "jahr", "monat", "tag"),
}


def words_of(name: str) -> list[str]:
    """The words of a column name in small letters: camelCase, underscores and blanks separate them.

    Examples
    --------
    >>> words_of("CustomerID"), words_of("order-nr 2")
    (['customer', 'id'], ['order', 'nr', '2'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return re.findall(r"[^\W_]+", spaced.lower())


def names_an_id(name: str) -> bool:
    """Whether the name says that the column is an id.

    Examples
    --------
    >>> [names_an_id(name) for name in ("id", "PassengerId", "userid", "paid", "key", "idle")]
    [True, True, True, False, False, False]
    """
    words = words_of(name)
    return bool(_ID_WORDS & set(words)) or any(_COMPOUND.fullmatch(word) for word in words)


def may_name_an_id(name: str) -> bool:
    """Whether the name is that of an id or of something else: `key`, `order_nr`, `row_index`.

    Examples
    --------
    >>> [may_name_an_id(name) for name in ("order_nr", "key", "nr_of_rooms", "income")]
    [True, True, False, False]
    """
    return bool(_ID_LAST_WORDS & set(words_of(name)[-1:]))


def names_a_time(name: str) -> bool:
    """Whether the name is that of a time or a part of one.

    Examples
    --------
    >>> [names_a_time(name) for name in ("created_at", "Year", "signup date", "timeout")]
    [True, True, True, False]
    """
    return bool(_TIME_WORDS & set(words_of(name)))
