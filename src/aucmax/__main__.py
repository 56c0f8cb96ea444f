"""The command line as `python -m aucmax`."""

from aucmax.cli import main

if __name__ == "__main__":
    main()
