"""Decimal numbers in bytes, read to the nearest double.

    Lemire. "Number Parsing at a Gigabyte per Second." Software: Practice and Experience 51(8), 2021.

A number is w * 10^q with w an integer of at most 19 digits. The product of w, shifted so that its top bit is
set, and the leading 128 bits of 5^q holds the 53 bits of the double and tells how to round. Only integers are
used, so no compiler flag can change a result. What this does not cover (more digits, subnormals, overflow, `nan`)
is left to Python's `float`, which rounds correctly as well.
"""

from __future__ import annotations

import numpy as np

from aucmax.numerics.compiled import compiled

_SMALLEST, _LARGEST = -342, 308  # powers of ten between which a 19-digit number can be a double
_MOST_DIGITS = 19  # 10^19 - 1 < 2^64
_NO_POWER = 100_000
_ALL = np.uint64(2**64 - 1)
_LOW = np.uint64(2**32 - 1)
_ZERO, _ONE, _TEN, _HALF = np.uint64(0), np.uint64(1), np.uint64(10), np.uint64(32)


def _power_of_five(q: int) -> int:
    """The leading 128 bits of 5^q: cut off for q >= 0, rounded up for q < 0."""
    power = 5 ** abs(q)
    if q < 0:
        bits = power.bit_length() + (127 if q >= -27 else 256)
        quotient = (1 << bits) // power + 1
        return quotient >> max(0, quotient.bit_length() - 128)
    return power << 128 - power.bit_length() if power.bit_length() <= 128 else power >> power.bit_length() - 128


_POWERS = [_power_of_five(q) for q in range(_SMALLEST, _LARGEST + 1)]
_HIGH_WORD = np.array([p >> 64 for p in _POWERS], dtype=np.uint64)
_LOW_WORD = np.array([p & (2**64 - 1) for p in _POWERS], dtype=np.uint64)


@compiled
def _product(a, b):
    """The high and the low word of a * b."""
    a1, a0, b1, b0 = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    low = a0 * b0
    cross = (low >> _HALF) + (a1 * b0 & _LOW) + (a0 * b1 & _LOW)
    high = a1 * b1 + (a1 * b0 >> _HALF) + (a0 * b1 >> _HALF) + (cross >> _HALF)
    return high, (cross << _HALF) | (low & _LOW)


@compiled
def _leading_zeros(w):
    count = 0
    for step in (32, 16, 8, 4, 2, 1):
        if w >> np.uint64(64 - step) == _ZERO:
            w = w << np.uint64(step)
            count += step
    return count


@compiled
def nearest_double(w, q):
    """The bits of the double nearest to w * 10^q, and whether they are known."""
    if w == _ZERO:
        return _ZERO, True
    if q < _SMALLEST or q > _LARGEST:
        return _ZERO, False
    shift = _leading_zeros(w)
    w = w << np.uint64(shift)
    high, low = _product(w, _HIGH_WORD[q - _SMALLEST])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):  # the next 64 bits of 5^q may carry into the kept ones
        carry, _ = _product(w, _LOW_WORD[q - _SMALLEST])
        if carry > _ALL - low:
            high = high + _ONE
            low = low - (_ALL - carry) - _ONE
        else:
            low = low + carry
    if low == _ALL and (q < -27 or q > 55):
        return _ZERO, False
    top = high >> np.uint64(63)
    kept = high >> (top + np.uint64(9))
    exponent = ((217706 * q) >> 16) + 63 + np.int64(top) - shift + 1023
    if exponent <= 0:
        return _ZERO, False
    exactly_between = low <= _ONE and -4 <= q <= 23 and kept << (top + np.uint64(9)) == high
    if exactly_between and kept & np.uint64(3) == _ONE:
        kept = kept - _ONE  # to even
    kept = (kept + (kept & _ONE)) >> _ONE
    if kept == np.uint64(2**53):
        kept, exponent = np.uint64(2**52), exponent + 1
    if exponent >= 0x7FF:
        return _ZERO, False
    return (kept & np.uint64(2**52 - 1)) | (np.uint64(exponent) << np.uint64(52)), True


@compiled
def _digits(text, at, stop, w, count):
    """Read digits on to w: where they end, w, and how many there are without leading zeros."""
    while at < stop:
        digit = np.int64(text[at]) - 48
        if digit < 0 or digit > 9:
            break
        if count < _MOST_DIGITS:
            w = w * _TEN + np.uint64(digit)
        if count > 0 or digit > 0:
            count += 1
        at += 1
    return at, w, count


@compiled
def read_double(text, at, stop):
    """Read the number text[at:stop]: where reading ended, the bits of the double, and whether they are known.

    They are not known when the number is none, or is one for Python's `float`.
    """
    negative = at < stop and text[at] == 45
    if at < stop and (text[at] == 45 or text[at] == 43):
        at += 1
    first = at
    at, w, count = _digits(text, at, stop, _ZERO, 0)
    n_digits, q = at - first, 0
    if at < stop and text[at] == 46:
        point = at + 1
        at, w, count = _digits(text, point, stop, w, count)
        q = point - at
        n_digits -= q
    if n_digits == 0 or count > _MOST_DIGITS:
        return at, _ZERO, False
    if at < stop and (text[at] == 101 or text[at] == 69):
        at, power = _exponent(text, at + 1, stop)
        if power == _NO_POWER:
            return at, _ZERO, False
        q += power
    bits, known = nearest_double(w, q)
    return at, bits | (np.uint64(negative) << np.uint64(63)), known


@compiled
def read_cells(text, bits, known):
    """Read numbers between zero bytes, spaces around them skipped; `known` says which cells were read."""
    at = 0
    for i in range(bits.size):
        while at < text.size and text[at] == 32:
            at += 1
        at, bits[i], known[i] = read_double(text, at, text.size)
        while at < text.size and text[at] == 32:
            at += 1
        known[i] = known[i] and (at == text.size or text[at] == 0)
        while at < text.size and text[at] != 0:
            at += 1
        at += 1


@compiled
def _exponent(text, at, stop):
    """Read the signed number after an e; what is none, or far out of range, is _NO_POWER."""
    sign = -1 if at < stop and text[at] == 45 else 1
    if at < stop and (text[at] == 45 or text[at] == 43):
        at += 1
    first, power = at, np.int64(0)
    while at < stop and 48 <= text[at] <= 57:
        if power < _NO_POWER:
            power = power * 10 + np.int64(text[at]) - 48
        at += 1
    return at, (_NO_POWER if at == first or power >= _NO_POWER else sign * power)
