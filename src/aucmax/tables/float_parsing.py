"""Parsing decimal numbers: bytes to the nearest double.

    Lemire. "Number Parsing at a Gigabyte per Second." Software: Practice and Experience 51(8), 2021.

A number is w * 10^q with w an integer of at most 19 digits. The product of w, shifted so that its top bit is
set, and the leading 128 bits of 5^q holds the 53 bits of the double and determines the rounding. Only integers are
used, so no compiler flag can change a result. What this does not cover (more digits, subnormals, overflow, `nan`)
is left to Python's `float`, which rounds correctly as well.
"""

from __future__ import annotations

import numpy as np

from aucmax.numerics.compiled import compiled

_MIN_POWER, _MAX_POWER = -342, 308  # powers of ten for which a 19-digit number can be a double
_MAX_DIGITS = 19  # 10^19 - 1 < 2^64
_INVALID_POWER = 100_000
_ALL_BITS = np.uint64(2**64 - 1)
_LOW_BITS = np.uint64(2**32 - 1)
_HALF_WORD = np.uint64(32)
_MINUS, _PLUS, _POINT, _SMALL_E, _CAPITAL_E, _DIGIT_0, _DIGIT_9 = b"-+.eE09"
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TEN = np.uint64(10)


def _power_of_five(q: int) -> int:
    """The leading 128 bits of 5^q: truncated for q >= 0, rounded up for q < 0."""
    power = 5 ** abs(q)
    if q < 0:
        bits = power.bit_length() + (127 if q >= -27 else 256)
        quotient = (1 << bits) // power + 1
        return quotient >> max(0, quotient.bit_length() - 128)
    return power << 128 - power.bit_length() if power.bit_length() <= 128 else power >> power.bit_length() - 128


_POWERS = [_power_of_five(q) for q in range(_MIN_POWER, _MAX_POWER + 1)]
_HIGH_WORD = np.array([p >> 64 for p in _POWERS], dtype=np.uint64)
_LOW_WORD = np.array([p & (2**64 - 1) for p in _POWERS], dtype=np.uint64)


@compiled
def _product(a, b):
    """The high and the low word of a * b."""
    a1, a0 = a >> _HALF_WORD, a & _LOW_BITS
    b1, b0 = b >> _HALF_WORD, b & _LOW_BITS
    low = a0 * b0
    cross = (low >> _HALF_WORD) + (a1 * b0 & _LOW_BITS) + (a0 * b1 & _LOW_BITS)
    high = a1 * b1 + (a1 * b0 >> _HALF_WORD) + (a0 * b1 >> _HALF_WORD) + (cross >> _HALF_WORD)
    return high, (cross << _HALF_WORD) | (low & _LOW_BITS)


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
    """The bits of the double nearest to w * 10^q, and whether they could be determined."""
    if w == _ZERO:
        return _ZERO, True
    if q < _MIN_POWER or q > _MAX_POWER:
        return _ZERO, False
    shift = _leading_zeros(w)
    w = w << np.uint64(shift)
    high, low = _product(w, _HIGH_WORD[q - _MIN_POWER])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):  # the next 64 bits of 5^q may carry into the kept ones
        carry, _ = _product(w, _LOW_WORD[q - _MIN_POWER])
        if carry > _ALL_BITS - low:
            high = high + _ONE
            low = low - (_ALL_BITS - carry) - _ONE
        else:
            low = low + carry
    if low == _ALL_BITS and (q < -27 or q > 55):
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
        kept = np.uint64(2**52)
        exponent += 1
    if exponent >= 0x7FF:
        return _ZERO, False
    return (kept & np.uint64(2**52 - 1)) | (np.uint64(exponent) << np.uint64(52)), True


@compiled
def _parse_digits(text, at, stop, w, count):
    """Append digits to w: where they end, w, and how many there are without leading zeros."""
    while at < stop:
        digit = np.int64(text[at]) - _DIGIT_0
        if digit < 0 or digit > 9:
            break
        if count < _MAX_DIGITS:
            w = w * _TEN + np.uint64(digit)
        if count > 0 or digit > 0:
            count += 1
        at += 1
    return at, w, count


@compiled
def parse_double(text, at, stop):
    """Parse the number text[at:stop]: where it ends, the bits of the double, and whether parsing succeeded.

    It does not succeed when there is no number, or one that is left to Python's `float`.
    """
    negative = at < stop and text[at] == _MINUS
    if at < stop and (text[at] == _MINUS or text[at] == _PLUS):
        at += 1
    first = at
    at, w, count = _parse_digits(text, at, stop, _ZERO, 0)
    n_digits = at - first
    q = 0
    if at < stop and text[at] == _POINT:
        point = at + 1
        at, w, count = _parse_digits(text, point, stop, w, count)
        q = point - at
        n_digits -= q
    if n_digits == 0 or count > _MAX_DIGITS:
        return at, _ZERO, False
    if at < stop and (text[at] == _SMALL_E or text[at] == _CAPITAL_E):
        at, power = _parse_exponent(text, at + 1, stop)
        if power == _INVALID_POWER:
            return at, _ZERO, False
        q += power
    bits, parsed = nearest_double(w, q)
    return at, bits | (np.uint64(negative) << np.uint64(63)), parsed


@compiled
def _parse_exponent(text, at, stop):
    """Parse the signed integer after an e; _INVALID_POWER if there is none, or it is far out of range."""
    sign = -1 if at < stop and text[at] == _MINUS else 1
    if at < stop and (text[at] == _MINUS or text[at] == _PLUS):
        at += 1
    first = at
    power = np.int64(0)
    while at < stop and _DIGIT_0 <= text[at] <= _DIGIT_9:
        if power < _INVALID_POWER:
            power = power * 10 + np.int64(text[at]) - _DIGIT_0
        at += 1
    return at, (_INVALID_POWER if at == first or power >= _INVALID_POWER else sign * power)
