"""The long fuzzers: `python tests/fuzz/fuzz.py [FILES] [KILLS]`, by default 20,000 mutated files and 50 kills
of a stream.

Each worker is a process of its own with limits on its memory and time, so that a crash or a hang of a reader is seen
here, with the seed and the mutation that caused it. Exits with 1 if any worker failed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
N_SAMPLES = 20  # files that `damaged_files.py` mutates, about
SHARE = 25  # mutations of each of them in a worker
STRUCTURED = 3  # files that a mutation of `structured_files.py` is
MINUTES = 20  # for one worker


def jobs(n_files, n_kills):
    """Scripts with their seed and number of mutations: half the files are mutated as bytes, half by structure."""
    for seed in range(max(1, n_files // 2 // (N_SAMPLES * SHARE))):
        yield HERE.parent / "damaged_files.py", 1000 + seed, SHARE
    for seed in range(max(1, n_files // 2 // (STRUCTURED * 100 * 5))):
        yield HERE / "structured_files.py", 2000 + seed, 500
    if n_kills:
        yield HERE / "kill_stream.py", 3000, n_kills


def run(script, seed, number):
    """Whether a worker succeeded."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(script), folder, str(seed), str(number)]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES, cwd=folder)
        except subprocess.TimeoutExpired as error:
            print(f"FAILED {script.name} {seed} {number}: {error}", flush=True)
            return False
    failed = result.returncode != 0
    last = result.stderr.strip().splitlines()[-15:] if failed else [result.stdout.strip()]
    print(f"{'FAILED' if failed else 'passed'} {script.name} {seed} {number}", *last, sep="\n  ", flush=True)
    return not failed


if __name__ == "__main__":
    n_files, n_kills = ([int(word) for word in sys.argv[1:]] + [20_000, 50][len(sys.argv) - 1 :])[:2]
    results = [run(*job) for job in jobs(n_files, n_kills)]
    print(f"{results.count(False)} of {len(results)} workers failed")
    sys.exit(not all(results))
