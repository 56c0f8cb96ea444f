"""Models out and in, as JSON: a file that can be read by eye, and that runs nothing when loaded.

The file is an object with `format`, `version`, `kind`, what the kind holds, and a `checksum`: the SHA-256 of the
canonical JSON of everything else. Numbers are written so that they come back to the last bit. A further kind of model
is one more class with `kind`, `to_dict` and `from_dict`, and one more line in `KINDS`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from aucmax.models.kernel import KernelModel
from aucmax.models.linear import LinearModel
from aucmax.models.model import Model
from aucmax.tables.writing import atomic_write

FORMAT, VERSION = "aucmax-model", 1
KINDS: dict[str, type[Model]] = {LinearModel.kind: LinearModel, KernelModel.kind: KernelModel}


class ModelFileError(ValueError):
    """A file is not a model that this version can load; the message says why."""


def save(model: Model, path: str | Path) -> None:
    """Write a model; the file is there whole or not at all, its folder made if need be.

    Examples
    --------
    >>> import tempfile
    >>> model = LinearModel(coef=[0.1, -2.0], intercept=0.5, classes=("no", "yes"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.json")
    ...     load(f"{folder}/model.json").coef
    array([ 0.1, -2. ])
    """
    if not isinstance(model, Model):
        raise TypeError(
            f"{type(model).__name__} is no model to save; make one of what it learned, such as "
            "LinearModel(it.coef_[0], it.intercept_[0], it.classes_)"
        )
    content = {"format": FORMAT, "version": VERSION, "kind": model.kind, **model.to_dict()}
    try:
        content["checksum"] = _checksum(content)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the model holds what JSON cannot: {error}; use plain finite numbers and texts") from None
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
    with atomic_write(path) as file:
        file.write("{\n" + ",\n".join(lines) + "\n}")


def load(path: str | Path) -> Model:
    """Read a model, checking every part of the file.

    Raises
    ------
    ModelFileError
        If the file is cut off, changed, of another version, or not a model.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     _ = file.write('{"format": "aucmax-model", "version": 99}')
    ...     file.flush()
    ...     load(file.name)
    Traceback (most recent call last):
    aucmax.models.storage.ModelFileError: ...: version 99 of the format; this aucmax reads version 1, so update aucmax
    """
    try:
        return _from_content(_parse(Path(path).read_bytes()))
    except ValueError as error:
        raise ModelFileError(f"{path}: {error}") from None


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text.decode(), object_pairs_hook=_without_repeats, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("not a model file: nested too deeply") from None
    except ValueError as error:  # includes what is not UTF-8
        raise ValueError(f"not JSON, or cut off: {error}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a finite number")


def _from_content(content: Any) -> Model:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError("not an aucmax model file")
    version, kind = content.get("version"), content.get("kind")
    if type(version) is not int or version != VERSION:
        raise ValueError(f"version {version!r} of the format; this aucmax reads version {VERSION}, so update aucmax")
    if content.pop("checksum", None) != _checksum(content):
        raise ValueError("the checksum does not agree: the file was changed or damaged; save the model again")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"unknown kind of model {kind!r}; this aucmax knows {list(KINDS)}")
    return KINDS[kind].from_dict({k: v for k, v in content.items() if k not in ("format", "version", "kind")})


def _checksum(content: dict[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
