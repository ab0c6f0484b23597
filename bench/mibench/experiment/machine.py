"""The machine: what it is, which processor a controller gets, and what its links cost."""
import os
import pathlib
import platform
import subprocess

import yaml

import launch
from launch import HOST_CONTROLLER

FAR = ("cpu:1", "cpu:2")  # off the host's processor
ALL = (HOST_CONTROLLER, *FAR)
SMALL, LARGE = 64, 1 << 18  # bytes of the tokens that links are measured with
HOPS = 200

PROBE = """woa: 1
graph: link_probe
inputs: {{data: {{type: bytes, max: 1MiB}}}}
stages:
  first: {{kernel: copy, in: {{data: data}}, on: "{first}"}}
{second}outputs: {{copy: {last}.data}}
"""
SECOND = '  second: {{kernel: copy, in: {{data: first.data}}, on: "{}"}}\n'


def cores():
    """Controller -> processor, and what to say of it. The host and cpu:0 share one; the others have one each if there are three."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        return {}, "one processor: nothing is pinned, and times are those of the scheduler"
    off = (usable[1], usable[2]) if len(usable) > 2 else (usable[1], usable[1])
    chosen = dict(zip(("host", *ALL), (usable[0], usable[0], *off)))
    note = "" if len(usable) > 2 else ("two processors: cpu:1 and cpu:2 share the second, so placements with both hold the "
                                       "scheduler's turns as well")
    return chosen, note


def text_of(command, folder=None):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def describe(source, woa, chosen, note):
    """Everything that a reader needs to compare figures of two runs."""
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    models = [line.split(":", 1)[1].strip() for line in info.splitlines() if line.startswith("model name")]
    changed = text_of(["git", "status", "--porcelain", "--untracked-files=no"], source)
    return {
        "commit": (text_of(["git", "rev-parse", "HEAD"], source) or "unknown") + ("+" if changed else ""),
        "machine": {
            "processor": models[0] if models else platform.machine(), "processors": os.cpu_count(),
            "usable": sorted(os.sched_getaffinity(0)), "kernel": platform.release(), "system": platform.system(),
            "load": list(os.getloadavg()), "pinned": chosen if woa.can_pin else {},
            "pinning": note if woa.can_pin else "nothing is pinned: this woa has no --cores",
        },
        "versions": {"woa": woa.text(["--version"]).strip(), "python": platform.python_version(),
                     "ip": text_of(["ip", "-V"]).removeprefix("ip utility, ")},
    }


def probe(woa):
    """What the raw mailbox takes now, and whether the processors are near or far."""
    answer = woa.json(["bench", "hop", "--count", "20000", "--repetitions", "3", "--no-peers"])
    medians = {row["contender"]: row["median"] for row in answer["rows"]}
    return {"host_state": answer["host_state"], "mailbox_ns": medians.get("raw mailbox"),
            "hop_ns": medians.get("controller to controller")}


def calibrate(woa, file):
    """The machine file of tight coupling: what was measured, and three controllers on the processors that they are pinned to."""
    measured = file.with_suffix(".measured.yaml")
    woa.json(["calibrate", "-o", measured, "--repetitions", "3", "--count", "4000"])
    machine = yaml.safe_load(measured.read_text())
    chosen, _ = cores()
    groups = {f"p{number}": 1 for number in set(chosen.values())}
    if groups:
        machine["cores"] = groups
    machine["controllers"] = {name: {"cores": f"p{chosen[name]}"} if groups else {} for name in ALL}
    file.write_text(yaml.safe_dump(machine, sort_keys=False))
    return machine


def add_devices(machine, woa):
    """With --devices: the accelerators that are here. Answers their names."""
    names = []
    for device in woa.json(["devices"])["devices"]:
        if device["available"] and device["kind"] != "cpu":
            machine["controllers"][device["controller"]] = {}
            names.append(device["controller"] + (" (simulated)" if device["simulated"] else ""))
    return names


def round_trip_us(woa, coupling, chosen, folder, size, places):
    """The median time of a token through stages at `places`."""
    graph = folder / "probe.yaml"
    second = SECOND.format(places[1]) if len(places) > 1 else ""
    graph.write_text(PROBE.format(first=places[0], second=second, last="second" if second else "first"))
    data = folder / f"probe-{size}"
    data.write_bytes(bytes(size))
    plan = folder / "probe.plan"
    woa.json(["compile", graph, "--window", "1", "-o", plan])
    placement = dict(zip(("first", "second"), places))
    words = ["--in", f"data={data}", "--instances", str(HOPS), "--window", "1"]
    return launch.run(woa, plan, coupling, placement, words, chosen)["latency_us"]["p50"]


def link(latency_us, per_byte_us):
    """As a machine file writes it; a link measured as free costs a nanosecond and a terabyte a second."""
    rate = int(1 / max(per_byte_us, 1e-6))
    return {"latency": f"{max(1, round(latency_us * 1000))}ns", "bandwidth": f"{max(1, rate)}MB/s"}


def link_between(machine, kinds):
    for entry in machine["calibration"]["transports"]["shm"].get("links", []):
        if sorted(entry["between"]) == sorted(kinds):
            return {"latency": entry["latency"], "bandwidth": entry["bandwidth"]}
    return {"latency": "1us", "bandwidth": "8GB/s"}


def time_us(link_of_shm):
    return float(link_of_shm["latency"].removesuffix("ns").removesuffix("us")) / (1 if "us" in link_of_shm["latency"] else 1000)


def measure_links(woa, coupling, machine, folder, file):
    """The machine file of a loose coupling. Each link is what a token takes more over it than within the host."""
    chosen, _ = cores()
    near = link_between(machine, ["host", "cpu"])
    shm_us = time_us(near)

    def hops(size):
        base, far, chain = (round_trip_us(woa, coupling, chosen, folder, size, places)
                            for places in ((HOST_CONTROLLER,), FAR[:1], FAR))
        return shm_us + (far - base) / 2, shm_us + chain - far
    small, large = hops(SMALL), hops(LARGE)
    wire, inside = (link(little, max(0, much - little) / (LARGE - SMALL)) for little, much in zip(small, large))
    links = [{"between": ["host", HOST_CONTROLLER], **near}, {"between": list(FAR), **inside}]
    links += [{"between": [end, far], **wire} for end in ("host", HOST_CONTROLLER) for far in FAR]
    file.write_text(yaml.safe_dump(dict(machine, links=links), sort_keys=False))
    return {"wire": wire, "within the second host": inside}
