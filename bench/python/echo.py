#!/usr/bin/env python3
"""The Python package beside what it is compared with: run it with the Python that has it.

    python bench/python/echo.py [--wheel dist/woa-....whl] [--count-calls build/tests/libcount_calls.so]

 - Round trip of 64 bytes through one stage in another process: in Python, in C++ and by multiprocessing.Pipe; medians
   of rounds in turns.
 - Copies of a 64 MiB array on the way in and out of a stage that works in place, counted by an interposed memcpy.
 - Time of the import, and the size of the wheel.
"""
import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import woa

SOURCE = Path(__file__).resolve().parents[2]
LIBRARY = Path(woa.__file__).parent / "lib"
GRAPH = """
woa: 1
graph: echo
inputs: {x: {type: bytes, max: 64}}
stages: {a: {kernel: copy, in: {data: x}}}
outputs: {y: a.data}
"""
# Answers each line on stdin with the median of as many round trips, in microseconds.
PROGRAM = r"""
#include <algorithm>
#include <chrono>
#include <iostream>
#include <woa/woa.hpp>
int main() {
  woa::Run run(woa::Plan::from_text(R"(GRAPH)"), {{"processes", "per-controller"}});
  const std::string text(64, 'x');
  for (std::size_t trips; std::cin >> trips;) {
    std::vector<double> all(trips);
    for (double& trip : all) {
      const auto began = std::chrono::steady_clock::now();
      (void)run.submit([&](woa::Room& room) { room.write(text); }).get();
      trip = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
    }
    std::nth_element(all.begin(), all.begin() + trips / 2, all.end());
    std::cout << all[trips / 2] << std::endl;
  }
}
"""
COUNTED = """
import sys, numpy, woa
graph = woa.Graph("big")
graph.output("y", graph.stage("s", "touch", data=graph.input("x", "bytes", max="64MiB")).data)
array = numpy.zeros(64 << 20, "u1")
value = (lambda block: len(block)) if sys.argv[2] == "function" else array
with woa.Run(woa.compile(graph)) as run:
    for _ in range(int(sys.argv[1])):
        run(value, copy=sys.argv[3] == "copy")
"""


def median_of(trip, trips):
    times = []
    for _ in range(trips):
        began = time.perf_counter()
        trip()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e6


def answer(pipe):
    while data := pipe.recv_bytes():
        pipe.send_bytes(data)


def compiled(folder):
    """The C++ program, or None without a compiler."""
    (folder / "echo.cc").write_text(PROGRAM.replace("GRAPH", GRAPH))
    built = subprocess.run(["c++", "-O2", "-std=c++20", "-I", SOURCE / "include", "-o", folder / "echo", folder / "echo.cc",
                            LIBRARY / "libwoa.so.1", f"-Wl,-rpath,{LIBRARY}"], check=False)
    return folder / "echo" if built.returncode == 0 else None


def round_trips(folder, rounds, trips):
    data = b"x" * 64
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("spawn").Process(target=answer, args=(there,), daemon=True)
    child.start()
    found = {"woa, Python": [], "woa, C++": [], "multiprocessing.Pipe": []}
    program = compiled(folder)
    other = program and subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def by_pipe():
        here.send_bytes(data)
        here.recv_bytes()

    for _ in range(rounds):
        # A run each round: its processes and the C++ program's would else wait beside one another.
        with woa.Run(woa.compile(GRAPH), processes="per-controller") as run:
            found["woa, Python"].append(median_of(lambda: run(data), trips))  # noqa: B023
        if other:
            other.stdin.write(f"{trips}\n")
            other.stdin.flush()
            found["woa, C++"].append(float(other.stdout.readline()))
        found["multiprocessing.Pipe"].append(median_of(by_pipe, trips))
    here.send_bytes(b"")
    if other:
        other.stdin.close()
        other.wait()
    return {name: values for name, values in found.items() if values}


def copies(folder, library, given, taken):
    """Large copies for each instance."""
    (folder / "counted.py").write_text(COUNTED)
    counts = []
    for instances in (2, 4):
        file = folder / f"{given}-{taken}-{instances}"
        subprocess.run([sys.executable, folder / "counted.py", str(instances), given, taken], check=True,
                       env=dict(os.environ, LD_PRELOAD=library.name, LD_LIBRARY_PATH=str(library.parent), WOA_COUNT_FILE=str(file)))
        counts.append(sum(json.loads(line)["large_copies"] for line in file.read_text().splitlines()))
    return (counts[1] - counts[0]) / 2


def import_ms():
    code = "import time; began = time.perf_counter(); import woa; print((time.perf_counter() - began) * 1e3)"
    return [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(15)]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--wheel", type=Path)
    options.add_argument("--count-calls", type=Path)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--trips", type=int, default=2000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("round trip of 64 bytes, another process, us: median of rounds (least, most)")
        for who, values in round_trips(folder, given.rounds, given.trips).items():
            print(f"  {who:22} {statistics.median(values):8.2f} ({min(values):.2f}, {max(values):.2f})")
        if given.count_calls:
            print("copies of 64 MiB, in place")
            for how in (("function", "view"), ("array", "view"), ("array", "copy")):
                print(f"  in: {how[0]:9} out: {how[1]:5} {copies(folder, given.count_calls.resolve(), *how):8.0f}")
    print(f"import: {statistics.median(import_ms()):.1f} ms")
    if given.wheel:
        print(f"wheel: {given.wheel.stat().st_size / 2**20:.2f} MiB")


if __name__ == "__main__":
    main()
