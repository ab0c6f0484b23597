#!/usr/bin/env python3
"""Threads of a Python program that run instances of one run: instances a second, by number of threads.

    python3 bench/python/threads.py [WINDOW...]      4 and 64 by default
"""
import sys
import threading
import time

import woa

GRAPH = """
woa: 1
graph: threads
inputs: {x: {type: bytes, max: 64}}
stages:
  a: {kernel: invert, in: {data: x}, on: "cpu:0"}
  b: {kernel: invert, in: {data: a.data}, on: "cpu:1"}
outputs: {y: b.data}
"""
SECONDS = 1


def rate(window: int, count: int) -> float:
    with woa.Run(woa.compile(GRAPH, window=window), processes="one") as run:
        done = [0] * count
        until = time.monotonic() + SECONDS

        def work(k: int) -> None:
            while time.monotonic() < until:
                run(b"x" * 64)
                done[k] += 1

        threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(done) / SECONDS


for window in map(int, sys.argv[1:] or (4, 64)):
    for count in (1, 4, 16, 64, 256):
        print(f"window {window:3}  {count:3} threads  {rate(window, count):8.0f} /s", flush=True)
