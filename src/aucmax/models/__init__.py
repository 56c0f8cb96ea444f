"""Fitted models as JSON files, which execute nothing when they are loaded; exports for other systems."""

import lazy_loader

# Names are imported at their first use, from the modules that __init__.pyi lists.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
