"""Saving and loading models as JSON: files that people can read, and that execute nothing when loaded.

A file is an object with `format`, `version`, `metadata`, `scorer` and `checksum`: the SHA-256 of the canonical JSON
of everything else (docs/model-format.md). A checkpoint has one more field, `stream`, with what is needed to continue
the stream. Numbers are written so that they are restored to the last bit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucmax.models.savedmodel import SavedModel
from aucmax.tables.atomic_write import atomic_write

if TYPE_CHECKING:
    from aucmax.models.live_stream import LiveStream

FORMAT = "aucmax-model"
VERSION = 1
MAX_BYTES = 1 << 28  # of a model file that is loaded
MAX_DIGITS = 20  # of an integer below 2^63, with its sign
_BLOCK_BYTES = 1 << 16


class ModelFileError(ValueError):
    """A file is not a model that this version can load; the message says why."""


def save(model: Any, path: str | Path, *, held_out_scores: bool = True) -> None:
    """Write a fitted model to a JSON file, atomically; parent folders are created.

    Parameters
    ----------
    model : estimator, Pipeline or SavedModel
        Any classifier of aucmax, alone or after a `TableEncoder`, a `StandardScaler` or both, in a pipeline; or a
        model that was loaded. A model of a stream can be loaded for scoring, not to continue the stream.
    path : str or Path
        The file to write.
    held_out_scores : bool
        Whether to keep the out-of-fold scores, which `threshold_at` needs: about 20 bytes per training row.

    Examples
    --------
    >>> import aucmax, numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> model = aucmax.AUCClassifier().fit(X, y)
    >>> aucmax.save(model, "model.json")
    >>> bool((aucmax.load("model.json").decision_function(X) == model.decision_function(X)).all())
    True
    """
    if not isinstance(model, SavedModel):
        from aucmax.models.from_estimator import saved_model

        model = saved_model(model, held_out_scores=held_out_scores)
    _write(model.to_dict(), path)


def save_checkpoint(stream: LiveStream, path: str | Path) -> None:
    """Write the model of a stream, with all that it needs to continue, atomically; `load` reads it as a model."""
    _write({**stream.model().to_dict(), "stream": stream.to_dict()}, path)


def load_checkpoint(path: str | Path, *, max_bytes: int = MAX_BYTES) -> LiveStream:
    """The stream that `save_checkpoint` wrote, every field validated.

    Raises
    ------
    ModelFileError
        As `load`, or if the file is a model without a stream.
    """
    from aucmax.models.live_stream import LiveStream

    with _naming(path):
        content = _contents(_parse(_read_bytes(path, max_bytes)))
        if "stream" not in content:
            raise ValueError("a model, but not a checkpoint of a stream; give it as --model, and a new --checkpoint")
        stream = content.pop("stream")
        return LiveStream.from_dict(SavedModel.from_dict(content).metadata, stream)


def to_json(model: SavedModel) -> str:
    """The contents of the file that `save` writes."""
    return _to_json(model.to_dict())


def _write(content: dict[str, Any], path: str | Path) -> None:
    text = _to_json(content)
    with atomic_write(path) as file:
        file.write(text)


def _to_json(content: dict[str, Any]) -> str:
    content = {"format": FORMAT, "version": VERSION, **content}
    try:
        content["checksum"] = _checksum(content)
    except (TypeError, ValueError) as error:
        message = f"the model cannot be written as JSON: {error}; use finite numbers and strings"
        raise TypeError(message) from None
    return _format_json(content, levels=2)


def load(path: str | Path, *, max_bytes: int = MAX_BYTES) -> SavedModel:
    """Read a model, validating every field of the file; of a checkpoint, the model without its stream.

    Parameters
    ----------
    path : str or Path
        The file.
    max_bytes : int
        The largest file that is read: 256 MiB by default.

    Raises
    ------
    ModelFileError
        If the file is truncated, modified, too large, of another version, or not a model.

    Examples
    --------
    >>> _ = Path("new.json").write_text('{"format": "aucmax-model", "version": 99}')
    >>> load("new.json")
    Traceback (most recent call last):
    aucmax.models.model_file.ModelFileError: new.json: format version 99; this aucmax reads 1, so update aucmax
    """
    with _naming(path):
        return _from_bytes(_read_bytes(path, max_bytes))


def from_json(text: str, name: str) -> SavedModel:
    """The model of a file whose contents are given, validated as by `load`; errors call it by its name."""
    with _naming(name):
        return _from_bytes(text.encode())


def _from_bytes(text: bytes) -> SavedModel:
    content = _contents(_parse(text))
    content.pop("stream", None)
    return SavedModel.from_dict(content)


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Name the file in errors."""
    try:
        yield
    except ValueError as error:
        raise ModelFileError(f"{path}: {error}") from None
    except MemoryError:
        raise MemoryError(f"{path} needs more memory than is available, or is damaged") from None


def _read_bytes(path: str | Path, max_bytes: int) -> bytes:
    """The whole file, unless it is too large or does not begin like a model: it may be a device without end."""
    content = bytearray()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            if not content and not block.lstrip().startswith(b"{"):
                raise ValueError("not an aucmax model file")
            content += block
            if len(content) > max_bytes:
                raise ValueError(f"larger than {max_bytes} bytes; if that is right, load it with a larger max_bytes")
    return bytes(content)


def _format_json(content: dict[str, Any], levels: int, indent: str = "") -> str:
    """JSON with one line for each key of the outer levels."""
    inner = indent + "  "
    lines = [
        f"{inner}{json.dumps(key)}: "
        + (_format_json(value, levels - 1, inner) if levels > 1 and isinstance(value, dict) else json.dumps(value))
        for key, value in content.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n" + indent + "}"


def _parse(text: bytes) -> Any:
    try:
        return json.loads(
            text.decode(), object_pairs_hook=_distinct_keys, parse_constant=_refuse_constant, parse_int=_integer
        )
    except RecursionError:
        raise ValueError("not a model file: nested too deeply") from None
    except ValueError as error:  # includes invalid UTF-8
        raise ValueError(f"invalid or truncated JSON: {error}") from None


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def _integer(digits: str) -> int:
    """An integer; those that NumPy would keep as Python objects are refused, since no field needs them."""
    if len(digits) > MAX_DIGITS or abs(int(digits)) >= 2**63:
        raise ValueError(f"the integer {digits[:30]} is too large")
    return int(digits)


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a finite number")


def _contents(content: Any) -> dict[str, Any]:
    """Model and stream of a file whose format, version and checksum are right."""
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise ValueError("not an aucmax model file")
    version = content.pop("version", None)
    if type(version) is not int or version != VERSION:
        raise ValueError(f"format version {version!r}; this aucmax reads {VERSION}, so update aucmax")
    checksum = content.pop("checksum", None)
    if checksum != _checksum({"format": FORMAT, "version": VERSION, **content}):
        raise ValueError("the checksum does not match: the file was modified or damaged; save the model again")
    return content


def _checksum(content: dict[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
