"""A table read from a CSV file, its encoder, and the memory that reading takes."""

import tracemalloc

import pytest
from table_files import TRAIN, write

from aucmax.tables import TableEncoder, read


@pytest.fixture
def train(tmp_path):
    return read(write(tmp_path, TRAIN))


@pytest.fixture
def encoder(train):
    return TableEncoder().fit(train.drop("fraud"))


@pytest.fixture
def peak_memory():
    """A function that measures the peak of the memory allocated by a call."""

    def measure(function):
        tracemalloc.start()
        try:
            function()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return measure
