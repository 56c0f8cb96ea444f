"""Rank positives above negatives by directly maximising AUC."""

import lazy_loader

__version__ = "0.1.0.dev0"

# Names are imported at their first use, from the modules that __init__.pyi lists, so that the command line can handle
# Ctrl-C before it imports anything heavy.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
