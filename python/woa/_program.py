"""The program `woa` of the package."""
import os
import sys
from pathlib import Path

PATH = Path(__file__).parent / "bin" / "woa"


def main() -> None:
    """The console script: becomes the program."""
    os.execv(PATH, ["woa", *sys.argv[1:]])
