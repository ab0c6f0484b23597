#!/usr/bin/env python3
"""Functions of Python in worker processes, against the pools of Python's library:

    python3 bench/python/processes.py [ROUNDS]       3 by default

A NumPy function of some 7 ms on 1,000 arrays of 1 MiB, against ProcessPoolExecutor.map(); and one of 50 us on 64 B, against
Pool.imap(). Medians of runs in turns, with as many processes as processors."""
import multiprocessing
import os
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy

import woa

PROCESSES = len(os.sched_getaffinity(0))
X, Y = {"x": "f64[n]"}, {"y": "f64[n]"}


def filter_(x):
    y = numpy.sqrt(x)
    for _ in range(27):
        numpy.add(numpy.sqrt(y), x, out=y)
    return y


def brief(x):
    until = time.perf_counter() + 50e-6
    while time.perf_counter() < until:
        pass
    return 2 * x


@woa.kernel(X, Y)
def filter_in_place(x, y):
    numpy.sqrt(x, out=y)
    for _ in range(27):
        numpy.add(numpy.sqrt(y), x, out=y)


@woa.kernel(X, Y, name="brief_kernel")
def brief_kernel(x):
    return brief(x)


def seconds(map_, items):
    begin = time.perf_counter()
    for _ in map_(items):
        pass
    return time.perf_counter() - begin


def ours(kernel, items):
    graph = woa.Graph("one")
    graph.output("y", graph.stage("a", kernel, x=graph.input("x", "f64[n]", max="2MiB")).y)
    with woa.Run(woa.compile(graph), python="processes") as run:
        list(run.map(items[:2 * PROCESSES]))
        return seconds(run.map, items)


def executor(function, items):
    with ProcessPoolExecutor(PROCESSES) as pool:
        list(pool.map(function, items[:2 * PROCESSES]))
        return seconds(lambda all_: pool.map(function, all_), items)


def imap(function, items):
    with multiprocessing.Pool(PROCESSES) as pool:
        list(pool.imap(function, items[:2 * PROCESSES]))
        return seconds(lambda all_: pool.imap(function, all_, chunksize=1), items)


def main(rounds):
    large = [numpy.full(1 << 17, k, dtype="f8") for k in range(1000)]
    small = [numpy.full(8, k, dtype="f8") for k in range(20_000)]
    ways = {"large ours": lambda: ours(filter_in_place, large), "large ProcessPoolExecutor.map": lambda: executor(filter_, large),
            "small ours": lambda: ours(brief_kernel, small), "small Pool.imap": lambda: imap(brief, small)}
    took = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            took[name].append(way())
    for name, all_ in took.items():
        print(f"{name:32} {statistics.median(all_):7.3f} s   {min(all_):.3f} to {max(all_):.3f}")
    one = seconds(lambda all_: map(filter_, all_), large[:100]) / 100
    median = {name: statistics.median(all_) for name, all_ in took.items()}
    print(f"large: {median['large ProcessPoolExecutor.map'] / median['large ours']:.2f} x ProcessPoolExecutor.map,"
          f" {one * len(large) / PROCESSES / median['large ours']:.2f} x of the function's time on all processors")
    print(f"small: {median['small Pool.imap'] / median['small ours']:.2f} x Pool.imap")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
