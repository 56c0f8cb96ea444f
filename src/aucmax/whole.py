"""`@all_or_nothing` and `@afresh`: an estimator learns wholly, or stays as it was.

Checks set `n_features_in_` and `classes_` before the work begins; a run that fails later, or is interrupted, would
leave them beside the weights of an earlier fit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(method: Method) -> Method:
    """Bring all attributes back as they were if the method fails."""

    @wraps(method)
    def whole(self, *args, **kwargs):
        before = vars(self).copy()
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, whole)


def afresh(fit: Method) -> Method:
    """Forget what was learned before, so that nothing of it stays beside the new; if the fit fails, bring it back."""

    @wraps(fit)
    def forgetting(self, *args, **kwargs):
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)
        return fit(self, *args, **kwargs)

    return all_or_nothing(cast(Method, forgetting))
