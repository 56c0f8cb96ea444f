"""`@restores_on_error` and `@resets_fitted_state`: an estimator learns wholly, or stays as it was.

Checks set `n_features_in_` and `classes_` before the work begins; a run that fails later, or is interrupted, would
leave them beside the weights of an earlier fit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def restores_on_error(method: Method) -> Method:
    """Bring all attributes back as they were if the method fails."""

    @wraps(method)
    def whole(self, *args, **kwargs):
        before = vars(self).copy()
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).update(before)
            for name in set(vars(self)) - set(before):
                delattr(self, name)
            raise

    return cast(Method, whole)


def resets_fitted_state(fit: Method) -> Method:
    """Forget what the last fit has learned, so that nothing of it stays beside the new; if this fails, bring it back.

    What a subclass sets before it calls `fit` was not learned by `fit`, and stays.
    """

    @wraps(fit)
    def forgetting(self, *args, **kwargs):
        for name in vars(self).pop("_learned", ()):
            vars(self).pop(name, None)
        others = set(vars(self))
        found = fit(self, *args, **kwargs)
        self._learned = sorted(name for name in set(vars(self)) - others if name.endswith("_"))
        return found

    return restores_on_error(cast(Method, forgetting))
