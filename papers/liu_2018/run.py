"""Run the tables of this paper again, or continue them: the same as `aucmax reproduce liu_2018`."""

from pathlib import Path

from aucmax.comparison.reproduction import reproduce

if __name__ == "__main__":
    reproduce("liu_2018", Path(__file__).parents[1])
