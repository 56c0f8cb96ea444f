"""Compiled loops and the same loops in plain Python give the same numbers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.thorough

SCRIPT = Path(__file__).with_name("without_compiling.py")


def results(**environment):
    command = [sys.executable, str(SCRIPT)]
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, timeout=300)
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout)


def test_plain_python_gives_the_same_numbers():
    fast = results(NUMBA_DISABLE_JIT="0")
    slow = results(NUMBA_DISABLE_JIT="1")
    assert set(fast) == set(slow) and len(fast) > 15
    for name in fast:  # sums in another order, as fused instructions and vectors take them
        np.testing.assert_allclose(slow[name], fast[name], rtol=1e-7, atol=1e-9, err_msg=name)
