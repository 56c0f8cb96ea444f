"""Figure 6.3 of Natole (2020): test AUC against time; the runs are those of figure 6.2, which writes both.

aucmax reproduce natole_2020 --figure 6.3
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def main(folder: Path = FOLDER, small: bool = False) -> dict[str, list[Any]]:
    """Write figures 6.2 and 6.3."""
    return runpy.run_path(str(FOLDER / "figure6_2.py"))["main"](folder, small)


if __name__ == "__main__":
    main()
