#!/usr/bin/env python3
"""Runs tests of the packet node and of its kernel on models that count, and reports how many lines and branches of the RTL they took.

Usage: coverage.py PROGRAM FOLDER [FLOOR]

Exits with 1 if a test fails, or if less than FLOOR per cent were taken.
"""

import collections
import glob
import os
import re
import subprocess
import sys

FLOOR = 98.0  # per cent


def points_of(files):
    """Counts of every point, added up over the models: (file, line, column, kind) -> count."""
    points = collections.Counter()
    for path in files:
        with open(path, encoding="latin-1") as file:
            for line in file:
                found = re.match(r"C '(.*)' (\d+)$", line)
                if not found:
                    continue
                fields = dict(part.split("\x02", 1) for part in found.group(1).split("\x01") if "\x02" in part)
                place = (os.path.basename(fields["f"]), int(fields["l"]), int(fields["n"]), fields.get("o", ""))
                points[place] += int(found.group(2))
    return points


def main():
    program, folder = sys.argv[1:3]
    floor = float(sys.argv[3]) if len(sys.argv) > 3 else FLOOR
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, "*.dat")):
        os.remove(old)
    if subprocess.run([program], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        sys.exit(f"{program}: a test fails; run it alone")
    points = points_of(glob.glob(os.path.join(folder, "*.dat")))
    files = collections.defaultdict(list)
    for (file, line, _, kind), count in sorted(points.items()):
        files[file].append((line, kind, count))
    for file, taken in files.items():
        missed = [f"{line}{' (' + kind + ')' if kind else ''}" for line, kind, count in taken if count == 0]
        print(f"{file}: {len(taken) - len(missed)} of {len(taken)}" + (f"; not lines {', '.join(missed)}" if missed else ""))
    taken = sum(count > 0 for count in points.values())
    share = 100 * taken / len(points) if points else 0
    print(f"lines and branches of the RTL: {taken} of {len(points)}, {share:.1f} %")
    if share < floor:
        sys.exit(f"less than {floor} %: add tests for the lines above")


if __name__ == "__main__":
    main()
