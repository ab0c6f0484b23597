#!/usr/bin/env python3
"""Three functions of Python in a row, against dora (https://dora-rs.ai), whose nodes are processes as well:

    python3 bench/python/against_dora.py [ROUNDS]       3 by default

Needs dora-rs-cli, dora-rs, numpy 2 and this package in one environment. Each function adds one to an array of 64 B or 1 MiB,
and one or several items are under way. Medians of runs in turns. dora's daemon talks to addresses of this host; it runs as well
without a network: unshare --net --map-root-user sh -c 'ip link set lo up; python3 bench/python/against_dora.py'."""
import collections
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

WAYS = ((64, 1, 3000), (64, 8, 10_000), (1 << 20, 1, 600), (1 << 20, 4, 1500))  # bytes, items under way, items
LIMIT_S = 60
QUIET_S = 3  # after which dora has lost an item


def measured(send, receive, window, count):
    """Items a second, the median latency in ms, and none lost, of `count` items that `send` begins and `receive` awaits in order."""
    begun, took = collections.deque(), []
    begin = time.perf_counter()
    for number in range(count + window):
        if number >= window:
            receive()
            took.append(time.perf_counter() - begun.popleft())
        if number < count:
            begun.append(time.perf_counter())
            send()
    return count / (time.perf_counter() - begin), 1e3 * statistics.median(took), 0


def ours(size, window, count):
    import woa

    @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
    def plus(x):
        return x + 1

    graph = woa.Graph("row", window=window)
    data = graph.input("x", "f64[n]", max=size)
    for name in "abc":
        data = graph.stage(name, plus, x=data).y
    graph.output("y", data)
    x, futures = numpy.zeros(size // 8), collections.deque()
    with woa.Run(woa.compile(graph), python="processes") as run:
        list(run.map([x] * 20))
        return measured(lambda: futures.append(run.submit(x)), lambda: futures.popleft().result(), window, count)


def node_of(name, source, **environment):
    given = "".join(f", {key}: '{value}'" for key, value in environment.items())
    return (f"  - id: {name}\n    path: {sys.executable}\n    args: {os.path.abspath(__file__)}\n    env: {{ROLE: {name[0]}{given}}}\n"
            f"    inputs: {{x: {{source: {source}/y, queue_size: 100}}}}\n    outputs: [y]\n")


def dora(size, window, count):
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result")
        flow = "nodes:\n" + node_of("ends", "c", SIZE=size, WINDOW=window, COUNT=count, RESULT=result)
        flow += "".join(node_of(name, source) for name, source in zip("abc", ("ends", "a", "b"), strict=True))
        with open(os.path.join(folder, "flow.yml"), "w", encoding="utf-8") as file:
            file.write(flow)
        program = os.path.join(os.path.dirname(sys.executable), "dora")
        running = subprocess.Popen([program, "run", "flow.yml"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            said, _ = running.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            running.kill()
            said, _ = running.communicate()
        if not os.path.exists(result):
            sys.exit(f"dora gave no result:\n{said[-3000:]}")
        with open(result, encoding="utf-8") as file:
            return tuple(map(float, file.read().split()))


def ends(node):
    """The node that begins the items and takes them when they have passed the others. Some are lost on the way."""
    import pyarrow

    window, count = int(os.environ["WINDOW"]), int(os.environ["COUNT"])
    x, begun, took = numpy.zeros(int(os.environ["SIZE"]) // 8), [], []

    def send():
        x[0] = len(begun)
        begun.append(time.perf_counter())
        node.send_output("y", pyarrow.array(x))

    time.sleep(1)  # until the others listen
    for _ in range(window):
        send()
    now = begun[0]
    while (event := node.next(timeout=QUIET_S)) is not None and event["type"] == "INPUT":
        now = time.perf_counter()
        took.append(now - begun[int(event["value"].to_numpy(zero_copy_only=False)[0]) - 3])
        if len(begun) < count:
            send()
        elif len(took) == count:
            break
    with open(os.environ["RESULT"], "w", encoding="utf-8") as file:
        print(len(took) / (now - begun[0]), 1e3 * statistics.median(took), count - len(took), file=file)


def stage(node):
    import pyarrow

    for event in node:
        if event["type"] == "STOP":
            break
        if event["type"] == "INPUT":
            node.send_output("y", pyarrow.array(event["value"].to_numpy(zero_copy_only=False) + 1))


def main(rounds):
    print("   BYTES  WINDOW                RATE        P50   LOST")
    for size, window, count in WAYS:
        found = {"ours": [], "dora": []}
        for _ in range(rounds):
            found["ours"].append(ours(size, window, count))
            found["dora"].append(dora(size, window, count))
        for name, figures in found.items():
            rate, latency, lost = (statistics.median(each) for each in zip(*figures, strict=True))
            print(f"{size:8} {window:7}  {name}  {rate:9.0f}/s  {latency:6.2f} ms  {lost:5.0f}", flush=True)


if __name__ == "__main__":
    if "ROLE" in os.environ:
        from dora import Node

        (ends if os.environ["ROLE"] == "e" else stage)(Node())
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
