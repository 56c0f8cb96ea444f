"""Methods that only some settings offer, and an AttributeError that says which ones do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import MethodType
from typing import Any


def available_if(check: Callable[[Any], bool]) -> Callable[[Callable], Any]:
    """Decorate a method that an object offers only if `check(object)` does not raise AttributeError.

    As in scikit-learn, `hasattr` follows the check. Its `available_if` hides the message of the check behind "has no
    attribute"; this one lets it through.
    """
    return lambda function: _ConditionalMethod(function, check)


class _ConditionalMethod:
    def __init__(self, function: Callable, check: Callable[[Any], bool]) -> None:
        self.function = function
        self.check = check
        self.__doc__ = function.__doc__

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        if obj is not None:
            self.check(obj)
            return MethodType(self.function, obj)

        @wraps(self.function)
        def checked(self_: Any, *args: Any, **options: Any) -> Any:
            self.check(self_)
            return self.function(self_, *args, **options)

        return checked
