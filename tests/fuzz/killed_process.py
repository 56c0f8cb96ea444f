"""Runs a function in a process that is killed without time to clean up."""

import os
import signal
import time
import traceback


def run_in_child(function, seconds):
    """Run in a forked process, killed after so many seconds; whether it was, which it is not if it was done."""
    child = os.fork()
    if child == 0:
        try:
            function()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the command failed"
    return os.WIFSIGNALED(status)
