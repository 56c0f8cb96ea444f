"""Memory of freed arrays is kept while a table is read, although the environment says otherwise."""

import os
import platform
import subprocess
import sys

import pytest

SCRIPT = """
import resource
import numpy as np
from aucmax.numerics.freed_memory import keeps_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(2**18)  # 2 MB, 512 pages
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

with keeps_freed_memory():
    inside = faults()
print(inside, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no such setting")
def test_freed_arrays_are_mapped_once_inside_and_every_time_outside():
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"}
    command = [sys.executable, "-c", SCRIPT]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    inside, after = map(int, printed.split())
    assert inside < 5_000
    assert after > 20_000  # as the environment wants it
