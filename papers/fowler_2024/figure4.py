"""Figure 4 of Fowler and Hocking (2024): the line search on the problems of figure 2, which writes both.

aucmax reproduce fowler_2024 --figure 4
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def main(folder: Path = FOLDER, small: bool = False) -> Any:
    """Write figures 2 and 4."""
    return runpy.run_path(str(FOLDER / "figure2.py"))["main"](folder, small)


if __name__ == "__main__":
    main()
