"""Models, checkpoints and tables with odd values in them: read rightly or refused, and nothing is executed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

SCRIPT = Path(__file__).with_name("structured_files.py")


def test_mutated_values_are_read_rightly_or_refused(tmp_path):
    script = [sys.executable, str(SCRIPT), str(tmp_path), "0", "150"]  # `make fuzz` does thousands
    result = subprocess.run(script, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert result.returncode == 0, result.stderr[-2000:]
    counts = json.loads(result.stdout)
    assert all(count["read"] > 3 and count["refused"] > 3 for count in counts.values()), counts
