"""The machine: what it is, which processor a controller gets, and what its links cost."""
import os
import pathlib
import platform
import subprocess

import yaml

import launch
from launch import HOST_CONTROLLER
from programs import Problem

FAR = ("cpu:1", "cpu:2")  # off the host's processor
ALL = (HOST_CONTROLLER, *FAR)
SMALL, LARGE = 64, 1 << 18  # bytes of the tokens that links are measured with
INSTANCES = 100  # of a probe that sends payloads
TURNS = 600  # messages in a row of a probe that measures latency
TURN_INSTANCES = 5

PAYLOADS = """woa: 1
graph: payload_probe
inputs: {{data: {{type: bytes, max: 1MiB}}}}
stages:
  first: {{kernel: copy, in: {{data: data}}, on: "{first}"}}
  second: {{kernel: copy, in: {{data: first.data}}, on: "{second}"}}
outputs: {{copy: second.data}}
"""
BALL = """woa: 1
graph: ball
inputs: {{n: {{type: "i64[1]"}}}}
stages:
  first: {{kernel: count_down, in: {{n: [n, {{from: second.again, loop: {{max: 1000}}}}]}}, on: "{first}"}}
  second: {{kernel: count_down, in: {{n: first.again}}, on: "{second}"}}
outputs: {{zero: [first.done, second.done]}}
"""


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
        "versions": {"woa": woa.text(["--version"]).strip().removeprefix("woa "), "python": platform.python_version(),
                     "ip": text_of(["ip", "-V"]).removeprefix("ip utility, ")},
    }


def probe(woa):
    """What the raw mailbox takes now, and whether the processors are near or far."""
    answer = woa.json(["bench", "hop", "--count", "20000", "--repetitions", "3", "--no-peers"])
    medians = {row["contender"]: row["median"] for row in answer["rows"]}
    return {"host_state": answer["host_state"], "mailbox_ns": medians.get("raw mailbox"),
            "hop_ns": medians.get("controller to controller")}


def calibrate(woa, file, given):
    """The machine file of tight coupling: what was measured, and three controllers on the processors that they are pinned to.
    `given`: a file of `woa calibrate`, or None to measure now."""
    measured = given or file.with_suffix(".measured.yaml")
    if not given:
        woa.json(["calibrate", "-o", measured, "--repetitions", "3", "--count", "4000"])
    try:
        machine = yaml.safe_load(measured.read_text())
        if "woa_machine" not in machine:
            raise Problem(f"--machine: {measured} is no machine file; `woa calibrate -o FILE` writes one")
    except (OSError, TypeError, ValueError, yaml.YAMLError) as error:
        raise Problem(f"--machine: {measured} cannot be read: {error}") from error
    chosen, _ = cores()
    groups = {f"p{number}": 1 for number in set(chosen.values())}
    if groups:
        machine["cores"] = groups
    machine["controllers"] = {name: {"cores": f"p{chosen[name]}"} if groups else {} for name in ALL}
    file.write_text(yaml.safe_dump(machine, sort_keys=False))
    return machine


def add_devices(machine, woa, file):
    """With --devices: the accelerators that are here. Answers their names."""
    names = []
    for device in woa.json(["devices"])["devices"]:
        if device["available"] and device["kind"] != "cpu":
            machine["controllers"][device["controller"]] = {}
            names.append(device["controller"] + (" (simulated)" if device["simulated"] else ""))
    file.write_text(yaml.safe_dump(machine, sort_keys=False))
    return names


class LinkProbe:
    """Runs small graphs over a coupling; the median time of an instance."""

    def __init__(self, woa, coupling, folder):
        self.woa, self.coupling, self.folder = woa, coupling, folder
        self.cores, _ = cores()

    def time_us(self, text, places, words, instances):
        graph, plan = self.folder / "probe.yaml", self.folder / "probe.plan"
        graph.write_text(text.format(first=places[0], second=places[1]))
        self.woa.json(["compile", graph, "--window", "1", "-o", plan])
        words = [*words, "--instances", str(instances), "--window", "1"]
        placement = dict(zip(("first", "second"), places))
        return launch.run(self.woa, plan, self.coupling, placement, words, self.cores)["latency_us"]["p50"]

    def hop_us(self, *places):
        """A message of a ball that two stages throw to and fro, so that no controller sleeps."""
        return self.time_us(BALL, places, ["--in", f"n=i64:{TURNS}"], TURN_INSTANCES) / TURNS

    def size_us(self, size, *places):
        """A token through both stages."""
        data = self.folder / f"probe-{size}"
        data.write_bytes(bytes(size))
        return self.time_us(PAYLOADS, places, ["--in", f"data={data}"], INSTANCES)

    def byte_us(self, *places):
        """A byte of a token on its way through both stages."""
        return (self.size_us(LARGE, *places) - self.size_us(SMALL, *places)) / (LARGE - SMALL)


def link(latency_us, per_byte_us):
    """As a machine file writes it; a link measured as free costs a nanosecond and a terabyte a second."""
    rate = int(1 / max(per_byte_us, 1e-6))
    return {"latency": f"{max(1, round(latency_us * 1000))}ns", "bandwidth": f"{max(1, rate)}MB/s"}


def link_between(machine, kinds):
    calibration = machine.get("calibration", {}).get("transports", {}).get("shm", {})
    for entry in calibration.get("links", []):
        if sorted(entry["between"]) == sorted(kinds):
            return {"latency": entry["latency"], "bandwidth": entry["bandwidth"]}
    return {"latency": "1us", "bandwidth": "8GB/s"}


def measure_links(woa, coupling, machine, folder, file):
    """The machine file of a loose coupling: what a hop and a byte take over a link more than within cpu:0."""
    probe_of = LinkProbe(woa, coupling, folder)
    near, far, beyond = HOST_CONTROLLER, *FAR
    turn_us, byte_us, there_us = probe_of.hop_us(near, near), probe_of.byte_us(near, near), probe_of.byte_us(far, far)
    wire = link(probe_of.hop_us(near, far) - turn_us, (there_us - byte_us) / 2)  # to the node and back to the host
    inside = link(probe_of.hop_us(far, beyond) - turn_us, probe_of.byte_us(far, beyond) - there_us)
    links = [{"between": ["host", near], **link_between(machine, ["host", "cpu"])}, {"between": [far, beyond], **inside}]
    links += [{"between": [end, place], **wire} for end in ("host", near) for place in FAR]
    file.write_text(yaml.safe_dump(dict(machine, links=links), sort_keys=False))
    return {"wire": wire, "within the second host": inside}
