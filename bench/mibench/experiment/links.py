"""What a message costs between the controllers of the experiment, where they are pinned: machine files of its couplings.

`woa calibrate` measures two controllers, each with a processor of its own. Here the host and cpu:0 share one, and on a machine with two
processors cpu:1 and cpu:2 share the other, so a message between them waits for a turn of the scheduler.
"""
import statistics

import yaml

import launch
import machine
from launch import HOST_CONTROLLER
from machine import FAR

SMALL, LARGE = 64, 1 << 18  # bytes of the tokens that links are measured with
INSTANCES = 100  # of a probe that sends payloads
TURNS = 600  # firings in a row of a probe that measures latency
TURN_INSTANCES = 5
DEVICES = {"gpu", "fpga"}
LAUNCHES = 3  # of a probe within one host

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


class LinkProbe:
    """Runs small graphs over a coupling; the median time of an instance."""

    def __init__(self, woa, coupling, folder):
        self.woa, self.coupling, self.folder = woa, coupling, folder
        self.cores, _ = machine.cores()

    def time_us(self, text, places, words, instances, model="woa"):
        graph, plan = self.folder / "probe.yaml", self.folder / "probe.plan"
        graph.write_text(text.format(first=places[0], second=places[1]))
        self.woa.json(["compile", graph, "--window", "1", "--model", model, "-o", plan])
        words = [*words, "--instances", str(instances), "--window", "1"]
        placement = dict(zip(("first", "second"), places))
        # A launch with nodes takes most of a second.
        launches = 1 if self.coupling.listen and set(places) & set(FAR) else LAUNCHES
        return statistics.median(launch.run(self.woa, plan, self.coupling, placement, words, self.cores)["latency_us"]["p50"]
                                 for _ in range(launches))

    def turn_us(self, *places, model="woa"):
        """A firing of a ball that two stages throw to and fro, so that no controller sleeps."""
        return self.time_us(BALL, places, ["--in", f"n=i64:{TURNS}"], TURN_INSTANCES, model) / TURNS

    def hop_us(self, one, other):
        """A message between two controllers."""
        return self.turn_us(one, other) - self.turn_us(one, one)

    def host_hop_us(self, place):
        """A message between the host and a controller: a hub's call goes there and back."""
        return (self.turn_us(place, place, model="rpc-hub") - self.turn_us(place, place)) / 2

    def size_us(self, size, *places):
        """A token through both stages."""
        data = self.folder / f"probe-{size}"
        data.write_bytes(bytes(size))
        return self.time_us(PAYLOADS, places, ["--in", f"data={data}"], INSTANCES)

    def byte_us(self, *places):
        """A byte of a token on its way through both stages."""
        return (self.size_us(LARGE, *places) - self.size_us(SMALL, *places)) / (LARGE - SMALL)


def link(latency_us, per_byte_us=0.0):
    """As a machine file writes it; a link measured as free costs a nanosecond and a terabyte a second."""
    rate = int(1 / max(per_byte_us, 1e-6))
    return {"latency": f"{max(1, round(latency_us * 1000))}ns", "bandwidth": f"{max(1, rate)}MB/s"}


def calibrated(described):
    return described.get("calibration", {}).get("transports", {}).get("shm", {}).get("links", [])


def of_devices(described):
    """Links of the kinds of devices that the machine has."""
    kinds = {"host", *(name.partition(":")[0] for name in described["controllers"])}
    return [entry for entry in calibrated(described) if DEVICES & set(entry["between"]) and set(entry["between"]) <= kinds]


def bandwidth(described):
    return next((entry["bandwidth"] for entry in calibrated(described) if set(entry["between"]) <= {"host", "cpu"}), "8GB/s")


def in_words(links):
    return "; ".join(f"{' to '.join(entry['between'])} {entry['latency']}" for entry in links if DEVICES.isdisjoint(entry["between"]))


class Machines:
    """The machine file of each coupling, measured when it is first asked for."""

    def __init__(self, woa, described, given, folder, out):
        """`given`: the user's own file, or None; its links replace measured ones within one host. Files are written to `out`."""
        self.woa, self.described, self.given, self.folder, self.out = woa, described, given, folder, out
        self.files = {}

    def file(self, coupling, state):
        """`state`: near or far, as the host of a virtual machine has its processors now. Within one host it decides what a message
        costs, so that each state has a file of its own."""
        name = coupling.name if coupling.listen or state is None else f"{coupling.name}-{state}"
        if name not in self.files:
            links = self.links(coupling, name)
            file = self.out / f"machine-{name}.yaml"
            file.write_text(yaml.dump(self.described | ({"links": links} if links else {}), Dumper=Plain, sort_keys=False))
            self.files[name] = file
        return self.files[name]

    def links(self, coupling, name):
        """None: those of the file that is there."""
        if self.given and not coupling.listen:
            coupling.notes.append(f"links of {self.given}")
        elif not machine.cores()[0]:
            coupling.notes.append("links of `woa calibrate`: with one processor nothing is pinned")
        else:
            probe, places = LinkProbe(self.woa, coupling, self.folder), (HOST_CONTROLLER, *FAR)
            near = places[0]
            here = {"between": ["host", near], "latency": link(probe.host_hop_us(near))["latency"], "bandwidth": bandwidth(self.described)}
            found = [here, *(of_distance(probe, *places) if coupling.listen else of_host(probe, self.described, *places))]
            coupling.notes.append(f"measured links, {name}: {in_words(found)}")
            return [*found, *of_devices(self.described)]
        return None


class Plain(yaml.SafeDumper):
    """Graphs and machine files have no anchors."""

    def ignore_aliases(self, data):
        return True


def of_host(probe, described, near, far, beyond):
    """One host: payloads stay where they are, so that latencies alone differ from what was calibrated."""
    def entry(ends, latency_us):
        return {"between": ends, "latency": link(latency_us)["latency"], "bandwidth": bandwidth(described)}
    away, across = probe.host_hop_us(far), probe.hop_us(near, far)
    return [*(entry(["host", place], away) for place in FAR), *(entry([near, place], across) for place in FAR),
            entry([far, beyond], probe.hop_us(far, beyond))]


def of_distance(probe, near, far, beyond):
    """Two hosts."""
    byte_us, there_us = probe.byte_us(near, near), probe.byte_us(far, far)
    per_byte = (there_us - byte_us) / 2  # to the node and back to the host
    host, across = link(probe.host_hop_us(far), per_byte), link(probe.hop_us(near, far), per_byte)
    inside = link(probe.hop_us(far, beyond), probe.byte_us(far, beyond) - there_us)
    return [*({"between": ["host", place], **host} for place in FAR), *({"between": [near, place], **across} for place in FAR),
            {"between": [far, beyond], **inside}]
