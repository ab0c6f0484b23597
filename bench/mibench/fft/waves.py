#!/usr/bin/env python3
"""Makes the samples that MiBench's fft makes: waves.py WAVES SAMPLES FILE, little-endian floats.

Its program draws everything by rand() of glibc with seed 1, so this has the same generator.
"""
import collections
import math
import struct
import sys


def glibc_rand(seed):
    """rand() after srand(seed): additive feedback over 31 numbers."""
    numbers = [seed]
    for _ in range(30):
        numbers.append(numbers[-1] * 16807 % 2147483647)
    kept = collections.deque([*numbers[3:], *numbers[:3]], 31)
    for k in range(10**18):
        kept.append(kept[0] + kept[-3] & 0xFFFFFFFF)
        if k >= 310:
            yield kept[-1] >> 1


def as_float(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def waves(count, samples):
    draw = glibc_rand(1)
    drawn = [(next(draw) % 1000, next(draw) % 1000) for _ in range(count)]
    for k in range(samples):
        sample = 0.0
        for coefficient, amplitude in drawn:
            angle = as_float(amplitude * k)
            turned = math.cos(angle) if next(draw) % 2 else math.sin(angle)
            sample = as_float(sample + coefficient * turned)
        yield sample


def main():
    if len(sys.argv) != 4 or not sys.argv[1].isdigit() or not sys.argv[2].isdigit():
        sys.exit("waves.py: expected WAVES SAMPLES FILE, such as 4 4096 waves.f32")
    samples = list(waves(int(sys.argv[1]), int(sys.argv[2])))
    with open(sys.argv[3], "wb") as file:
        file.write(struct.pack("<%df" % len(samples), *samples))


if __name__ == "__main__":
    main()
