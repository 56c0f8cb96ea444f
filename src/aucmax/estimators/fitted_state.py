"""Fitted state: a fit takes effect as a whole, when it has succeeded, and a prediction uses one state throughout.

A fit works on a copy of the estimator, whose attributes then replace those of the estimator in one assignment. A fit
that fails or is interrupted leaves no trace, and other threads see the old model or the new one, never the weights of
one and the intercept of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def restores_on_error(method: Method) -> Method:
    """Change attributes only if the method succeeds, all of them at once."""
    return _guarded(method, reset=False)


def resets_fitted_state(fit: Method) -> Method:
    """Replace the attributes set by the last fit, so that none of them outlives it, if this fit succeeds.

    Attributes that a subclass sets before it calls `fit` were not set by the fit, and are kept.
    """
    return _guarded(fit, reset=True)


def reads_one_state(method: Method) -> Method:
    """Run a method on the attributes that the estimator has now, even if a fit in another thread replaces them."""

    @wraps(method)
    def reading(self, *args, **kwargs):
        snapshot = object.__new__(type(self))
        snapshot.__dict__ = vars(self)  # itself, not a copy: a fit replaces it
        return method(snapshot, *args, **kwargs)

    return cast(Method, reading)


def _guarded(method: Method, *, reset: bool) -> Method:
    @wraps(method)
    def guarded(self, *args, **kwargs):
        before = vars(self).copy()
        work = object.__new__(type(self))
        work.__dict__ = before.copy()
        if reset:
            for name in vars(work).pop("_set_by_fit", ()):
                vars(work).pop(name, None)
        others = set(vars(work))
        result = method(work, *args, **kwargs)
        if reset:
            work._set_by_fit = sorted(vars(work).keys() - others)
        _publish(self, before, vars(work))
        return self if result is work else result

    return cast(Method, guarded)


def without_feature_names(estimator: Any) -> Any:
    """The same fitted estimator, which scores arrays without a warning about the names of their columns."""
    other = object.__new__(type(estimator))
    other.__dict__ = {name: value for name, value in vars(estimator).items() if name != "feature_names_in_"}
    return other


def _publish(estimator: Any, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Apply the changes from `before` to `after` in one assignment; attributes set by others in between are kept."""
    attributes = vars(estimator).copy()
    for name in before.keys() - after.keys():
        attributes.pop(name, None)
    for name, value in after.items():
        if name not in before or before[name] is not value:
            attributes[name] = value
    estimator.__dict__ = attributes
