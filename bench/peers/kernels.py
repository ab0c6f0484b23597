#!/usr/bin/env python3
"""Functions of other libraries beside the kernels that do the same: OpenCV on one thread, and `openssl speed`.

    bench/peers/kernels.py [--build build] [--size 1048576] [--width 4000] [--height 3000] [--repetitions 11]

Needs OpenCV for Python (python3-opencv), which nothing else here does; without it the program ends with 3. Prints GB/s of `woa bench
kernels`, as that defines them, and of the function on the same picture or as many bytes. TIME is ours divided by the other's.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

try:
    import cv2
    import numpy
except ImportError as missing:
    print(f"kernels.py: {missing}: install python3-opencv", file=sys.stderr)
    sys.exit(3)

ENOUGH_S = 0.02  # of a launch, as in the benchmark
SHARPEN = numpy.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], numpy.float32)


def paint(width, height):
    """The picture of bench/micro/kernel_payloads.cc."""
    y, x, c = numpy.meshgrid(*(numpy.arange(n, dtype=numpy.uint32) for n in (height, width, 3)), indexing="ij")
    return (x * (c + 1) // 8 + y // 4 + ((x * x ^ 3 * y * y) >> 4 & 3)).astype(numpy.uint8)


def functions(size, width, height):
    """Name of the benchmark's row -> the function, and a call of it."""
    picture, data = paint(width, height), numpy.full(size, 97, numpy.uint8)
    half, small = (max(1, width // 2), max(1, height // 2)), (320, 240)
    made, inverted, copied = numpy.empty_like(picture), numpy.empty_like(data), numpy.empty_like(data)
    resized = {to: numpy.empty((to[1], to[0], 3), numpy.uint8) for to in (half, small)}
    jpeg, png = [cv2.IMWRITE_JPEG_QUALITY, 75], [cv2.IMWRITE_PNG_COMPRESSION, 2, cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_DEFAULT]
    file = cv2.imencode(".jpg", picture, jpeg)[1]

    def resize(to):
        return "cv2.resize", lambda: cv2.resize(picture, to, resized[to], interpolation=cv2.INTER_LINEAR)
    return {
        "copy": ("numpy.copyto", lambda: numpy.copyto(copied, data)),
        "invert": ("cv2.bitwise_not", lambda: cv2.bitwise_not(data, inverted)),
        f"resize_bilinear to {half[0]} x {half[1]}": resize(half),
        f"resize_bilinear to {small[0]} x {small[1]}": resize(small),
        "sharpen3x3": ("cv2.filter2D", lambda: cv2.filter2D(picture, -1, SHARPEN, made, borderType=cv2.BORDER_REPLICATE)),
        "jpeg_encode": ("cv2.imencode", lambda: cv2.imencode(".jpg", picture, jpeg)),
        "jpeg_decode": ("cv2.imdecode", lambda: cv2.imdecode(file, cv2.IMREAD_COLOR)),
        "png_encode": ("cv2.imencode", lambda: cv2.imencode(".png", picture, png)),
    }


def seconds_of(call):
    done, began = 0, time.perf_counter()
    while (taken := time.perf_counter() - began) < ENOUGH_S or done == 0:
        call()
        done += 1
    return taken / done


def by_openssl(size):
    """GB/s of AES-256-GCM, in kB/s at the end of its last line."""
    done = subprocess.run(["openssl", "speed", "-elapsed", "-seconds", "1", "-bytes", str(size), "-evp", "aes-256-gcm"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return float(re.search(r"([\d.]+)k\s*$", done.stdout.decode()).group(1)) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--size", type=int, default=1 << 20)
    parser.add_argument("--width", type=int, default=4000)
    parser.add_argument("--height", type=int, default=3000)
    parser.add_argument("--repetitions", type=int, default=11)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    report = json.loads(subprocess.run(
        [os.path.join(given.build, "woa"), "bench", "kernels", "--json", "--size", str(given.size), "--width", str(given.width), "--height",
         str(given.height), "--repetitions", str(given.repetitions)], stdout=subprocess.PIPE, check=True).stdout)
    memcpy = {row["size"]: row["median"] for row in report["rows"] if row["role"] == "limit"}
    peers = functions(given.size, given.width, given.height)
    print(f"OpenCV {cv2.__version__}, one thread; GB/s\n{'KERNEL':34} {'OURS':>8} {'MEMCPY':>8}  {'FUNCTION':16} {'ITS':>8} {'TIME':>6}")
    for row in report["rows"]:
        name, rate = row["contender"], None
        if name in peers:
            function, call = peers[name]
            seconds = statistics.median([seconds_of(call) for _ in range(given.repetitions)])
            rate = row["size"] / seconds / 1e9
        elif name.startswith("aes_gcm") and shutil.which("openssl"):
            function, rate = "openssl speed", by_openssl(given.size)
        if row["role"] == "ours":
            other = f"{function:16} {rate:8.2f} {rate / row['median']:6.2f}" if rate else ""
            print(f"{name:34} {row['median']:8.2f} {memcpy[row['size']]:8.2f}  {other}".rstrip())


if __name__ == "__main__":
    main()
