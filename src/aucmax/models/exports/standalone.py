"""The functions that an exported Python file consists of: their source is copied there, as far as a model needs it.

They use the standard library only, and take and return plain Python values. `MISSING` and `UNITS` are written into
the file with them. Cells are read as `TableEncoder` reads them, but one by one: what it refuses because the cells of
a column disagree (some with a currency of their own, say) is read here.
"""

import csv
import datetime
import math
import os
import re
import sys
from bisect import bisect_right

from aucmax.tables.cells import MISSING
from aucmax.tables.number_format import UNITS


def is_missing(cell):
    """Whether a cell is None, NaN, or a string such as NA."""
    return cell is None or cell != cell or (isinstance(cell, str) and cell.strip() in MISSING)


def feature(row, name):
    """A number that must be there."""
    if is_missing(row[name]):
        raise ValueError(f"column {name!r} is missing; the model needs a number")
    return plain_number(row[name], name)


def plain_number(cell, name):
    """The number in a cell; true and false are 1 and 0."""
    text = cell.strip().lower() if isinstance(cell, str) else cell
    try:
        value = float({"true": 1.0, "false": 0.0}.get(text, text))
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value) or "_" in str(text):
        raise ValueError(f"column {name!r} holds {cell!r}, which is not a finite number")
    return value


def number(row, name, median, missing_indicator):
    """The feature of a number or boolean, and whether it is missing if that is a feature too."""
    missing = is_missing(row[name])
    value = median if missing else plain_number(row[name], name)
    return [value, float(missing)] if missing_indicator else [value]


def formatted_number(row, name, median, missing_indicator, decimal, separator, pattern, per_cent):
    """As `number`, of numbers such as 1.234,56 or $1,200; ¤ in the pattern stands for the currency."""
    cell = row[name]
    if isinstance(cell, str) and not is_missing(cell) and cell.strip().lower() not in ("true", "false"):
        text = cell.strip()
        unit = (re.findall(UNITS, text) or [""])[0]
        found = re.match(per_cent if unit == "%" else pattern.replace("¤", re.escape(unit)), text, re.ASCII)
        if found is None:
            raise ValueError(f"column {name!r} holds {cell!r}, which is not written as its numbers are")
        digits = re.sub(separator, "", "".join(found.groups())) if separator else "".join(found.groups())
        row = {name: digits.replace(decimal, ".").replace("\u2212", "-")}
    return number(row, name, median, missing_indicator)


def category(row, name, categories, missing_indicator):
    """A feature of 0 and 1 for each category, all 0 for one that is not known."""
    cell = row[name]
    missing = is_missing(cell)
    text = str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()
    features = [float(text == each and not missing) for each in categories]
    return [*features, float(missing)] if missing_indicator else features


def time(row, name, median, missing_indicator, pattern, hour):
    """Seconds since 1970 in UTC, the weekday from Monday = 0 and, if asked for, the hour of the day."""
    missing = is_missing(row[name])
    seconds = median if missing else read_time(row[name], name, pattern)
    days, rest = divmod(seconds, 86400.0)
    features = [seconds, (days + 3) % 7, rest / 3600] if hour else [seconds, (days + 3) % 7]
    return [*features, float(missing)] if missing_indicator else features


def read_time(cell, name, pattern):
    """Seconds since 1970 of a date, a datetime or a string."""
    if isinstance(cell, datetime.date):
        clock = cell.timetz() if isinstance(cell, datetime.datetime) else datetime.time()
        moment = datetime.datetime.combine(cell, clock)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)).total_seconds()
    found = re.match(pattern, str(cell).strip())
    try:
        return seconds_of_parts(found.groupdict() if found else {})
    except (KeyError, ValueError):
        raise ValueError(f"column {name!r} holds {cell!r}, which is not a time as in training") from None


def seconds_of_parts(parts):
    """Seconds since 1970 of year, month, day, hour, minute, second, am or pm, and zone."""
    day = datetime.date(int(parts["year"]), int(parts["month"]), int(parts["day"]))
    hour = int(parts["hour"] or 0)
    minute = int(parts["minute"] or 0)
    second = float(parts["second"] or 0)
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"].lower() == "pm" else 0)
    if hour > 23 or minute > 59 or second >= 61:
        raise ValueError("no such time of day")
    zone = parts["zone"] or "Z"
    ahead = 0 if zone in ("Z", "UTC") else int(zone[0] + "1") * (int(zone[1:3]) * 3600 + int(zone[-2:]) * 60)
    return (day.toordinal() - 719163) * 86400.0 + hour * 3600 + minute * 60 + second - ahead


def scaled(x, mean, scale):
    """Standardised features."""
    return [(value - m) / s for value, m, s in zip(x, mean, scale, strict=True)]


def linear(x, coef):
    """The weighted sum of the features."""
    return math.fsum(w * value for w, value in zip(coef, x, strict=True))


def tree(x, nodes):
    """The value of the leaf: nodes are (feature, threshold, left, right), leaves (value,)."""
    node = nodes[0]
    while len(node) > 1:
        column, threshold, left, right = node
        node = nodes[left if x[column] <= threshold else right]
    return node[0]


def interpolated(value, knots):
    """The rank of a value, linear between knots (values, ranks) and constant beyond them."""
    values, ranks = knots
    k = bisect_right(values, value)
    if k in (0, len(values)):
        return ranks[0 if k == 0 else -1]
    share = (value - values[k - 1]) / (values[k] - values[k - 1])
    return ranks[k - 1] + share * (ranks[k] - ranks[k - 1])


def kernel(x, power, gamma, scale, knots, landmarks):
    """The sum over the landmarks (weight, point) of weight * exp(-gamma * distance)."""
    ranks = x if knots is None else [interpolated(value, pair) for value, pair in zip(x, knots, strict=True)]
    place = [value / s for value, s in zip(ranks, scale, strict=True)]
    return math.fsum(
        weight * math.exp(-gamma * math.fsum(abs(a - b) ** power for a, b in zip(place, point, strict=True)))
        for weight, point in landmarks
    )


def sigmoid(value):
    """1 / (1 + exp(-value)), without overflow."""
    return 1.0 / (1.0 + math.exp(-value)) if value >= 0 else math.exp(value) / (1.0 + math.exp(value))


def score_file(path, outputs):
    """Print the outputs of every row of a CSV file; - is stdin. It ends quietly where nobody reads on."""
    csv.field_size_limit(1 << 26)
    try:
        with open(0 if path == "-" else path, newline="", encoding="utf-8-sig") as file:
            writer = csv.writer(sys.stdout, lineterminator="\n")
            writer.writerow(outputs)
            writer.writerows([output(row) for output in outputs.values()] for row in csv.DictReader(file))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # which Python flushes when it ends
        sys.exit(1)
