"""Fitted state: a fit that fails, or is interrupted, leaves the estimator as it was.

Validation sets `n_features_in_` and `classes_` before the work begins; without these decorators a fit that fails
later would leave them alongside the weights of an earlier fit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def restores_on_error(method: Method) -> Method:
    """Restore all attributes if the method fails."""
    return _guarded(method, reset=False)


def resets_fitted_state(fit: Method) -> Method:
    """Delete the attributes set by the last fit, so that none of them outlives it; restore them if this fit fails.

    Attributes that a subclass sets before it calls `fit` were not set by the fit, and are kept.
    """
    return _guarded(fit, reset=True)


def _guarded(method: Method, *, reset: bool) -> Method:
    @wraps(method)
    def guarded(self, *args, **kwargs):
        before = vars(self).copy()
        if reset:
            for name in vars(self).pop("_set_by_fit", ()):
                vars(self).pop(name, None)
        others = set(vars(self))
        try:
            result = method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise
        if reset:
            self._set_by_fit = sorted(vars(self).keys() - others)
        return result

    return cast(Method, guarded)
