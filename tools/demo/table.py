#!/usr/bin/env python3
"""Prints the demo's table from what `woa run --json` wrote, two files (woa, rpc-hub) per block.

Usage: table.py WOA.json RPC.json [NULL-WOA.json NULL-RPC.json]
"""

import json
import sys

HEADINGS = ["model", "instances/s", "p50", "p99", "messages", "payload", "copied", "simulated"]


def duration(us):
    return f"{us:.1f} us" if us < 1e3 else f"{us / 1e3:.1f} ms" if us < 1e6 else f"{us / 1e6:.2f} s"


def size(count):
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} B"


def simulated_share(run):
    """Fraction of the controllers' busy time that simulated devices spent."""
    busy = sum(c["busy_s"] for c in run["controllers"])
    return sum(c["busy_s"] for c in run["controllers"] if c["simulated"]) / busy if busy else 0.0


def row(run):
    latency = run["latency_us"]
    return [run["model"], f'{run["throughput_per_s"]:.1f}', duration(latency["p50"]), duration(latency["p99"]),
            str(run["messages"]), size(run["payload_bytes"]), size(run["copied_bytes"]), f"{100 * simulated_share(run):.0f} %"]


def print_table(runs):
    rows = [HEADINGS] + [row(run) for run in runs]
    widths = [max(len(r[i]) for r in rows) for i in range(len(HEADINGS))]
    for cells in rows:
        print("  " + cells[0].ljust(widths[0]) + "".join("  " + c.rjust(w) for c, w in zip(cells[1:], widths[1:])))


def print_devices(run):
    for controller in run["controllers"]:
        if controller["kind"] == "host":
            continue
        label = "SIMULATED, " if controller["simulated"] else ""
        stages = ", ".join(s["name"] for s in run["stages"] if s["controller"] == controller["name"])
        cycles = f', {controller["cycles"]} cycles' if controller.get("cycles") else ""
        print(f'  {controller["name"]:<7} {label}{controller["backend"]}: {controller["device"]}{cycles}  ({stages})')


def print_block(title, runs):
    first = runs[0]
    print(f'\n{title}: {first["instances"]} instances, window {first["window"]}, one process per controller')
    print_table(runs)
    failed = sum(len(run["failures"]) for run in runs)
    if failed:
        sys.exit(f"{failed} instances failed, see the JSON files")
    print_devices(first)


def main(paths):
    runs = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            runs.append(json.load(file))
    *flagship, null_woa, null_rpc = runs
    if flagship:
        print_block("Real work", flagship)
        hashes = [[(o["name"], o["sha256"]) for o in run["outputs"]] for run in flagship]
        if hashes[0] != hashes[1]:
            sys.exit("the outputs of the two models differ, see their sha256")
        print("  Apart from noise the two hardly differ in time: decoding and encoding a picture take about 100,000 times longer than\n"
              "  handing it on. What shows the call model here are the messages: k + 1 per instance against 2k, for k stages.\n"
              "  Simulated devices do real work at a model's speed: their share of the time says nothing about hardware.")
    print_block("The cost of calling (null kernels, 64-byte tokens)", [null_woa, null_rpc])
    ratio = null_rpc["latency_us"]["p50"] / null_woa["latency_us"]["p50"] if null_woa["latency_us"]["p50"] else 0
    print(f"  With no work to hide it, a call through the caller takes {ratio:.2g} times as long here as writing forward (p50).")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    main(sys.argv[1:])
