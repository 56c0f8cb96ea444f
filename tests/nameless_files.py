"""Temporary files without a name, as Linux lists them among the open files of a process."""

from pathlib import Path

import pytest


def kept_bytes(folder, process="self"):
    """How many bytes are in nameless files of a folder that a process has open."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("the open files of a process are listed on Linux only")
    total = 0
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            target = str(descriptor.readlink())
            if target.startswith(str(folder)) and target.endswith(" (deleted)"):
                total += descriptor.stat().st_size
        except FileNotFoundError:  # closed meanwhile
            continue
    return total
