"""Compiling functions with Numba, the only file that imports it; `compiled` imports this one at the first call.

Numba's own disk cache watches only the file that defines the compiled function: after an edit to a helper in another
file it would still run stale machine code. Here the key of every cache entry covers `numerics` and all files that
import `compiled`; compiled functions use helpers and constants of these files only (tests/numerics/test_compiled.py).
Every file of the cache begins with a checksum: a damaged one is ignored and replaced. Where nothing can be written,
functions are compiled in memory.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import event, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import overload, typeof_impl

from aucmax.numerics.compiled import CompiledFunction, compile_timer
from aucmax.numerics.rows import CSR, ROW_OPERATIONS, RowOperation

# Sums may be reordered (SIMD); NaN and infinity keep their meaning, so that checks can detect them.
_FAST = {"reassoc", "contract", "arcp", "nsz"}


def make_dispatcher(function: Callable, *, strict: bool) -> Callable:
    """A function that Numba compiles when it is called; with `NUMBA_DISABLE_JIT=1` the function itself."""
    if numba.config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(function, fastmath=set() if strict else _FAST, error_model="numpy", nogil=True)
    with suppress(RuntimeError):  # no folder to write to, or no source file: compile in memory, as Numba does
        dispatcher._cache = _PackageCache(function)
    return dispatcher


@typeof_impl.register(CompiledFunction)
def _type_of_compiled(function: CompiledFunction, context: Any) -> types.Dispatcher:
    """What Numba sees where a compiled function calls another one."""
    return types.Dispatcher(function.dispatcher)


def _compile_row_operation(operation: RowOperation) -> None:
    """Make Numba choose between the two loops of a row operation by the type of X."""

    @overload(operation, strict=False, jit_options={"fastmath": _FAST, "error_model": "numpy"})
    def _choose_dense(X, *args):
        return None if getattr(X, "instance_class", None) is CSR else operation.dense

    # Reordering would turn a CSR row into SIMD gathers, which are slower than plain loads.
    @overload(operation, strict=False, jit_options={"fastmath": False, "error_model": "numpy"})
    def _choose_csr(X, *args):
        return operation.csr if getattr(X, "instance_class", None) is CSR else None


@cache
def sources_hash() -> str:
    """Hash of all files with compiled functions, since the machine code of one may depend on any of them."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        content = path.read_bytes()
        if path.parent.name == "numerics" or b"numerics.compiled" in content:
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(content)
    return digest.hexdigest()


class _KeyedFiles(IndexDataCacheFile):
    """One file of machine code per key, named after the key.

    Numba numbers its files, so two processes that compile at the same time may give two functions the same number and
    later run the wrong one. Here, at worst, an entry is lost and compiled again.

    A file is a checksum and a pickle. The checksum covers the version of Numba and the source too, so that nothing is
    unpickled, let alone executed, that this version has not written for this source.
    """

    def save(self, key: Any, data: Any) -> None:
        name = self._data_name(int(hashlib.sha256(repr(key).encode()).hexdigest()[:16], 16))
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})

    def _load_index(self) -> dict:
        return self._read(self._index_path) or {}

    def _save_index(self, overloads: dict) -> None:
        self._write(self._index_path, overloads)

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _read(self, path: str) -> Any:
        """The content of a file; None if it is missing, unreadable, damaged or out of date."""
        try:
            content = Path(path).read_bytes()
        except OSError:
            return None
        # The checksum guards against damage, not malice: like .pyc files, the cache is as trusted as the code.
        checksum = content[:32]
        pickled = content[32:]
        return pickle.loads(pickled) if checksum == self._checksum(pickled) else None

    def _write(self, path: str, content: Any) -> None:
        pickled = self._dump(content)
        with self._open_for_write(path) as file:
            file.write(self._checksum(pickled) + pickled)

    def _checksum(self, pickled: bytes) -> bytes:
        origin = repr((self._version, self._source_stamp))
        return hashlib.sha256(origin.encode() + pickled).digest()


class _PackageCache(FunctionCache):
    """Numba's function cache; its key covers all compiled functions, and the options that change the machine code."""

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        self._cache_file = _KeyedFiles(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def _index_key(self, sig: Any, codegen: Any) -> tuple:
        options = (bool(numba.config.BOUNDSCHECK), int(numba.config.OPT))
        return (*super()._index_key(sig, codegen), sources_hash(), *options)

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.library.has_dynamic_globals:  # with NUMBA_OPT=0 code may hold addresses that die with the process
            return
        with suppress(OSError):  # a full disk, a folder that is read-only or gone: the code is in memory all the same
            super().save_overload(sig, data)


class _CompilerEvents(event.Listener):
    """Tells the timer when Numba's compiler runs, including the disk cache."""

    def on_start(self, event: Any) -> None:
        compile_timer.start()

    def on_end(self, event: Any) -> None:
        compile_timer.stop()


event.register("numba:compiler_lock", _CompilerEvents())
for _operation in ROW_OPERATIONS:
    _compile_row_operation(_operation)
