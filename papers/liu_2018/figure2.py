"""Figure 2 of Liu et al. (2018): test AUC against time; the runs are those of figure 1, which writes both.

aucmax reproduce liu_2018 --figure 2
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def main(folder: Path = FOLDER, small: bool = False) -> dict[str, list[Any]]:
    """Write figures 1 and 2."""
    return runpy.run_path(str(FOLDER / "figure1.py"))["main"](folder, small)


if __name__ == "__main__":
    main()
