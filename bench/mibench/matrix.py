#!/usr/bin/env python3
"""Makes a matrix of weights for dijkstra: matrix.py FILE, 100 lines of 100 numbers; one edge in sixteen is missing."""
import sys

import drawn

NODES, NO_EDGE = 100, 9999


def main():
    if len(sys.argv) != 2:
        sys.exit("matrix.py: expected FILE")
    numbers = drawn.numbers()
    weights = (NO_EDGE if number >> 11 == 0 else 1 + number % 97 for number in numbers)
    with open(sys.argv[1], "w", encoding="ascii") as file:
        for _ in range(NODES):
            file.write("\t".join(str(next(weights)) for _ in range(NODES)) + "\n")


if __name__ == "__main__":
    main()
