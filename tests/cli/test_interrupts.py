"""Ctrl-C at any moment: exit code 130, one line, no traceback, no file left behind."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("click")

MAIN = "import sys; sys.argv[0] = 'aucmax'; from aucmax.cli import main; print('started', flush=True); main()"
COMMAND = ("fit", "data.csv", "--target", "is_fraud", "-o", "model.json")


def start(*arguments, script=MAIN):
    """A command in a process, once it has got to `main`."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "started\n"
    return process


def interrupt_after(seconds, *arguments):
    """Exit code and stderr of a command that is interrupted after so many seconds, if it still runs then."""
    process = start(*arguments)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    return process.returncode, stderr


@pytest.mark.parametrize("seconds", [0.03, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0])
def test_interrupts_at_several_moments(folder, seconds):
    code, stderr = interrupt_after(seconds, *COMMAND)
    assert "Traceback" not in stderr and "Exception ignored" not in stderr
    assert (code, stderr.strip()) == (130, "error: interrupted") or code == 0
    assert sorted(path.name for path in folder.iterdir()) in (["data.csv"], ["data.csv", "model.json"])
    assert code == 130 or seconds >= 0.4  # no command is done before its imports are


def test_light_imports_come_first():
    script = "import sys, aucmax.cli; print([name for name in ('numpy', 'click', 'numba') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.stdout == "[]\n"


@pytest.mark.parametrize(
    ("moment", "code"),
    [
        (
            "aucmax.cli.commands.solvers.print_json = lambda items: atexit.register(interrupt)",
            130,
        ),  # among the functions registered for the exit
        ("sys.modules['last'] = AtShutdown()", 0),  # when modules are torn down: the command is done
    ],
)
def test_interrupts_at_exit(folder, moment, code):
    script = f"""
import atexit, os, signal, sys
print("started", flush=True)

def interrupt(kill=os.kill, pid=os.getpid(), number=signal.SIGINT):
    kill(pid, number)
    sum(range(1000))

class AtShutdown:
    def __del__(self, interrupt=interrupt):
        interrupt()

import aucmax.cli.commands.solvers
{moment}
from aucmax.cli import main
main()
"""
    process = start("solvers", "--json", script=script)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == code, stderr
    assert stderr == ("error: interrupted\n" if code else "")


def test_an_interrupt_lost_in_a_destructor_is_raised_again(folder):
    script = """
import signal, sys
print("started", flush=True)
from aucmax.cli import main
from aucmax.cli.commands import solvers

class Interrupting:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def show_list(items):
    Interrupting()
    for _ in range(10_000):
        sum(range(1000))

solvers.show_list = show_list
main()
"""
    process = start("solvers", script=script)
    _, stderr = process.communicate(timeout=120)
    assert (process.returncode, stderr.strip()) == (130, "error: interrupted")


def test_an_interrupt_that_compiled_code_turns_into_another_error_is_an_interrupt(folder):
    """Modules are imported while the command runs, and NumPy once made "not a valid format string" of Ctrl-C."""
    script = """
import os, signal
import aucmax.cli.commands.solvers
from aucmax.cli import main

def lose(items):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        import time; time.sleep(5)
    except KeyboardInterrupt:
        raise ValueError("not a valid format string") from None

aucmax.cli.commands.solvers.print_json = lose
import sys
sys.argv = ["aucmax", "solvers", "--json"]
main()
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr.strip()) == (130, "error: interrupted")


def test_an_interrupt_that_compiled_code_drops_is_no_success(folder):
    script = """
import signal
import aucmax.cli.commands.solvers
from aucmax.cli import main

def drop(items):
    try:
        signal.raise_signal(signal.SIGINT)
    except:
        pass

aucmax.cli.commands.solvers.print_json = drop
print("started", flush=True)
main()
"""
    process = start("solvers", "--json", script=script)
    _, stderr = process.communicate(timeout=120)
    assert (process.returncode, stderr) == (130, "error: interrupted\n")


def test_an_interrupt_waits_for_the_end_of_an_import(folder):
    """Modules of Cython, as NumPy's, register their classes when they are imported, and then drop every exception."""
    Path("initialised.py").write_text("""
import signal
try:
    signal.raise_signal(signal.SIGINT)
except:
    pass
done = True
""")
    script = """
import sys, time
sys.path.insert(0, "")
import aucmax.cli.commands.solvers
from aucmax.cli import main

def import_and_work(items):
    import initialised
    try:
        time.sleep(60)
    finally:
        print("imported", initialised.done, flush=True)

aucmax.cli.commands.solvers.print_json = import_and_work
print("started", flush=True)
main()
"""
    process = start("solvers", "--json", script=script)
    stdout, stderr = process.communicate(timeout=50)
    assert (process.returncode, stdout, stderr.strip()) == (130, "imported True\n", "error: interrupted")
