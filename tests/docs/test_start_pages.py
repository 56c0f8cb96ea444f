"""The shell examples of the pages under docs/start run as they stand; those in Python are run as doctests."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

START = Path(__file__).parents[2] / "docs" / "start"
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = {
    "shell": ("model.json", "scores.csv", "report.html"),
    "stream": ("model.json", "scores.csv"),
    "big-files": ("model.json", "scores.csv"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", PAGES)
def test_shell_examples_run(name, tmp_path):
    commands = "".join(SHELL.findall((START / f"{name}.md").read_text()))
    python = f'python() {{ "{sys.executable}" "$@"; }}\naucmax() {{ python -m aucmax "$@"; }}\n'
    done = subprocess.run(["bash", "-euc", python + commands], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all((tmp_path / written).stat().st_size > 0 for written in PAGES[name])
    shown = without_numbers("".join(OUTPUT.findall((START / f"{name}.md").read_text())))
    assert set(shown) - set(without_numbers(done.stdout)) == set()


def without_numbers(text):
    """The lines of an output, apart from numbers, which may differ in their last digits, and from spaces."""
    return [" ".join(re.sub(r"[+-]?\d[\d.,]*", "#", line).split()) for line in text.splitlines()]


def test_every_page_with_shell_examples_is_run():
    assert {page.stem for page in START.glob("*.md") if SHELL.search(page.read_text())} == set(PAGES)
