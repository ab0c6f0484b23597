#!/usr/bin/env python3
"""Makes a matrix of weights for dijkstra: matrix.py FILE, 100 lines of 100 numbers; one edge in sixteen is missing."""
import sys

NODES, NO_EDGE = 100, 9999


def weights():
    """The generator of the C standard's example of rand(), so that the file is the same everywhere."""
    state = 1
    for _ in range(NODES * NODES):
        state = (state * 1103515245 + 12345) % 2 ** 31
        yield NO_EDGE if state >> 27 == 0 else 1 + (state >> 16) % 97


def main():
    if len(sys.argv) != 2:
        sys.exit("matrix.py: expected FILE")
    drawn = weights()
    with open(sys.argv[1], "w", encoding="ascii") as file:
        for _ in range(NODES):
            file.write("\t".join(str(next(drawn)) for _ in range(NODES)) + "\n")


if __name__ == "__main__":
    main()
