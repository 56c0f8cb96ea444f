"""Run the tables of this paper again, or continue them: the same as `aucmax reproduce natole_2020`."""

from pathlib import Path

from aucmax.comparison.reproduction import reproduce

if __name__ == "__main__":
    reproduce("natole_2020", Path(__file__).parents[1])
