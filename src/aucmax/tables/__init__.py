"""Reading tables (CSV, Parquet, Arrow, libsvm, npz), all at once or in chunks, and encoding their columns."""

import lazy_loader

# Names are imported at their first use, from the modules that __init__.pyi lists.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
