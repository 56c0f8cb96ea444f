"""A pytest plugin for slow flags: a test that takes longer than `--seconds` is skipped, and says so.

PYTHONPATH=tests python -m pytest -p time_limit --seconds 60
"""

import signal

import pytest


def pytest_addoption(parser):
    parser.addoption("--seconds", type=int, default=0, help="skip a test that takes longer (0: no limit)")


def _limited(item):
    """Let the test run, and skip it where it is when its time is over."""
    seconds = item.config.getoption("seconds")

    def stop(signum, frame):
        pytest.skip(f"did not end in {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    return (yield from _limited(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield from _limited(item))
