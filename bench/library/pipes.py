#!/usr/bin/env python3
"""Frames of 64 bytes through `woa run` between pipes, beside the same instances submitted by a callback in one process.

    cmake --build build --target bench_submit
    bench/library/pipes.py [--build build] [--count 1000000] [--repetitions 5]

Prints the median time of a frame of each way, of interleaved repetitions, and the memory at the end of a run and of one twice as long.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

GRAPH = "woa: 1\ngraph: copy\ninputs: {x: {type: bytes, max: 64}}\nstages: {a: {kernel: copy, in: {data: x}}}\noutputs: {y: a.data}\n"
BYTES = 64


def by_pipe(woa, graph, count):
    """Seconds of the whole program, its start included, and KiB of memory."""
    source = subprocess.Popen(["head", "-c", str(count * BYTES), "/dev/zero"], stdout=subprocess.PIPE)
    began = time.monotonic()
    run = subprocess.Popen([woa, "run", graph, "--in", "x=-", "--out", "y=-", "--frames", f"fixed:{BYTES}", "--processes", "one"],
                           stdin=source.stdout, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    source.stdout.close()
    taken = 0
    while piece := os.read(run.stdout.fileno(), 1 << 16):
        taken += len(piece)
    _, status, usage = os.wait4(run.pid, 0)
    seconds = time.monotonic() - began
    run.returncode = os.waitstatus_to_exitcode(status)
    source.wait()
    run.stdout.close()
    if run.returncode != 0 or taken != count * BYTES:
        raise SystemExit(f"pipes.py: {taken} bytes came back, expected {count * BYTES}; exit code {run.returncode}")
    return seconds, usage.ru_maxrss


def by_callback(submit, graph, count):
    return float(subprocess.run([submit, graph, str(count)], check=True, stdout=subprocess.PIPE).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=5)
    given = parser.parse_args()
    woa, submit = os.path.join(given.build, "woa"), os.path.join(given.build, "bench", "bench_submit")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as graph:
        graph.write(GRAPH)
        graph.flush()
        pipes, callbacks, memory = [], [], []
        for _ in range(given.repetitions):
            callbacks.append(by_callback(submit, graph.name, given.count))
            seconds, kib = by_pipe(woa, graph.name, given.count)
            pipes.append(seconds)
            memory.append(kib)
        _, twice = by_pipe(woa, graph.name, 2 * given.count)
    pipe, callback = statistics.median(pipes), statistics.median(callbacks)
    print(f"by a callback  {callback / given.count * 1e9:8.0f} ns an instance")
    print(f"by a pipe      {pipe / given.count * 1e9:8.0f} ns a frame, {callback / pipe:.2f} of the rate by a callback")
    print(f"memory         {statistics.median(memory) / 1024:8.1f} MiB, {twice / 1024:.1f} MiB after twice as many frames")


if __name__ == "__main__":
    main()
