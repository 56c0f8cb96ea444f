"""`kill -9` in the middle of a stream: a readable checkpoint, and the weights of an uninterrupted run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough


def test_a_killed_stream_goes_on_to_the_last_bit(tmp_path):
    command = [
        sys.executable,
        str(Path(__file__).with_name("kill_stream.py")),
        str(tmp_path),
        "0",
        "3",
    ]  # `make fuzz` kills 50
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr[-2000:]
    assert json.loads(result.stdout)["kills"] >= 3
