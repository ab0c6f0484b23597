#!/usr/bin/env python3
"""Makes a picture with edges, slopes and noise: picture.py grey|colour|jpeg WIDTH HEIGHT FILE (PGM, PPM or JPEG)."""
import subprocess
import sys

import drawn

ABSENT = 77  # the exit code without cjpeg


def pixels(width, height, channels):
    numbers = drawn.numbers()
    for y in range(height):
        for x in range(width):
            inside = (3 * x - width) ** 2 + (3 * y - height) ** 2 < (width * height) // 2
            bar = (x + 2 * y) // 24 % 5 == 0
            for channel in range(channels):
                slope = (x * (channel + 1) + y) * 80 // (width + height)
                yield min(255, slope + (90 if inside else 0) + (60 if bar else 0) + next(numbers) % 7)


def picture(width, height, channels):
    return b"P%d\n%d %d\n255\n" % (5 if channels == 1 else 6, width, height) + bytes(pixels(width, height, channels))


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in ("grey", "colour", "jpeg") or not (sys.argv[2] + sys.argv[3]).isdigit():
        sys.exit("picture.py: expected grey|colour|jpeg WIDTH HEIGHT FILE")
    made = picture(int(sys.argv[2]), int(sys.argv[3]), 1 if sys.argv[1] == "grey" else 3)
    if sys.argv[1] == "jpeg":
        try:
            made = subprocess.run(["cjpeg", "-dct", "int"], input=made, capture_output=True, check=True).stdout
        except FileNotFoundError:
            sys.exit(ABSENT)
    with open(sys.argv[4], "wb") as file:
        file.write(made)


if __name__ == "__main__":
    main()
