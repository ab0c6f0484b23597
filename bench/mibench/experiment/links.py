"""What a message costs between the controllers of the experiment, where they are pinned: machine files of its couplings.

`woa calibrate` measures two controllers, each with a processor of its own. Here the host and cpu:0 share one, and on a machine with two
processors cpu:1 and cpu:2 share the other. A controller that shares its processor yields instead of spinning, so a message takes longer,
also if the other one does nothing. So links are measured for each set of controllers that plans use.
"""
import itertools
import statistics

import yaml

import launch
import machine
from launch import HOST_CONTROLLER
from machine import ALL, FAR

SMALL, LARGE = 64, 1 << 18  # bytes of the tokens that links are measured with
INSTANCES = 100  # of a probe that sends payloads
TURNS = 600  # firings in a row of a probe that measures latency
TURN_INSTANCES = 5
DEVICES = {"gpu", "fpga"}
LAUNCHES = 3  # of a probe within one host

INPUTS = """woa: 1
graph: link_probe
inputs: {n: {type: "i64[1]"}, data: {type: bytes, max: 1MiB}}
stages:
"""
BALL = """  first: {{kernel: count_down, in: {{n: [n, {{from: second.again, loop: {{max: 1000}}}}]}}, on: "{first}"}}
  second: {{kernel: count_down, in: {{n: first.again}}, on: "{second}"}}
"""
COPY = '  {name}: {{kernel: copy, in: {{data: {source}}}, on: "{place}"}}\n'


def ball_graph(first, second, others):
    """Two stages throw a ball; a stage on each of `others` passes a token on once."""
    copies = "".join(COPY.format(name=f"other{k}", source="data", place=place) for k, place in enumerate(others))
    outputs = "".join(f", other{k}: other{k}.data" for k in range(len(others)))
    # The graph needs a reader of `data`.
    unread = "" if others else COPY.format(name="other", source="data", place=first)
    return INPUTS + BALL.format(first=first, second=second) + copies + unread + \
        f"outputs: {{zero: [first.done, second.done]{outputs}{', other: other.data' if unread else ''}}}\n"


def copies_graph(first, second):
    return INPUTS.replace('n: {type: "i64[1]"}, ', "") + COPY.format(name="first", source="data", place=first) + \
        COPY.format(name="second", source="first.data", place=second) + "outputs: {copy: second.data}\n"


class LinkProbe:
    """Runs small graphs over a coupling; the median time of an instance. `used`: controllers that take part in each run."""

    def __init__(self, woa, coupling, folder, used):
        self.woa, self.coupling, self.folder, self.used = woa, coupling, folder, used
        self.cores, _ = machine.cores()

    def time_us(self, graph, places, words, instances, model="woa"):
        file, plan = self.folder / "probe.yaml", self.folder / "probe.plan"
        file.write_text(graph)
        self.woa.json(["compile", file, "--window", "1", "--model", model, "-o", plan])
        words = [*words, "--instances", str(instances), "--window", "1"]
        # A launch with nodes takes most of a second.
        launches = 1 if self.coupling.listen and set(places) & set(FAR) else LAUNCHES
        placement = {str(k): place for k, place in enumerate(places)}
        return statistics.median(launch.run(self.woa, plan, self.coupling, placement, words, self.cores)["latency_us"]["p50"]
                                 for _ in range(launches))

    def turn_us(self, first, second, model="woa", alone=False):
        """A firing of a ball that two stages throw to and fro, so that no controller sleeps."""
        others = [] if alone else [place for place in self.used if place not in (first, second)]
        words = ["--in", f"n=i64:{TURNS}", "--in", "data=bytes:x"]
        return self.time_us(ball_graph(first, second, others), {first, second, *others}, words, TURN_INSTANCES, model) / TURNS

    def firing_us(self):
        return self.turn_us(HOST_CONTROLLER, HOST_CONTROLLER, alone=True)

    def hop_us(self, one, other):
        """A message between two controllers."""
        return self.turn_us(one, other) - self.firing_us()

    def host_hop_us(self, place):
        """A message between the host and a controller: a hub's call goes there and back."""
        return (self.turn_us(place, place, model="rpc-hub") - self.firing_us()) / 2

    def size_us(self, size, *places):
        """A token through both stages."""
        data = self.folder / f"probe-{size}"
        data.write_bytes(bytes(size))
        return self.time_us(copies_graph(*places), set(places), ["--in", f"data={data}"], INSTANCES)

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
    """The machine file of each coupling and set of controllers, measured when it is first asked for."""

    def __init__(self, woa, described, given, folder, out):
        """`given`: the user's own file, or None; its links replace measured ones within one host. Files are written to `out`."""
        self.woa, self.described, self.given, self.folder, self.out = woa, described, given, folder, out
        self.files, self.bytes_us = {}, {}

    def file(self, coupling, state, used):
        """`state`: near or far, as the host of a virtual machine has its processors now. Within one host it decides what a message
        costs, so that each state has a file of its own. `used`: cpu controllers."""
        used = tuple(sorted(used))
        parts = [coupling.name, *([] if coupling.listen or state is None else [state]), *(place.replace(":", "") for place in used)]
        name = "-".join(parts)
        if name not in self.files:
            found = self.links(coupling, used, name)
            devices = {place: entry for place, entry in self.described["controllers"].items() if place not in ALL}
            controllers = {place: self.described["controllers"][place] for place in used} | devices
            described = self.described | {"controllers": controllers} | ({"links": [*found, *of_devices(self.described)]} if found else {})
            file = self.out / f"machine-{name}.yaml"
            file.write_text(yaml.dump(described, Dumper=Plain, sort_keys=False))
            self.files[name] = file
        return self.files[name]

    def links(self, coupling, used, name):
        """None: those of the file that is there."""
        if (self.given and not coupling.listen) or not machine.cores()[0]:
            source = f"links of {self.given}" if self.given else "links of `woa calibrate`: with one processor nothing is pinned"
            if source not in coupling.notes:
                coupling.notes.append(source)
            return None
        probe = LinkProbe(self.woa, coupling, self.folder, used)
        found = [self.entry(probe, ("host", place), probe.host_hop_us(place)) for place in used]
        found += [self.entry(probe, pair, probe.hop_us(*pair)) for pair in itertools.combinations(used, 2)]
        coupling.notes.append(f"measured, {name}: {in_words(found)}")
        return found

    def entry(self, probe, ends, latency_us):
        """Within one host payloads stay where they are, so that latencies alone differ from what was calibrated."""
        ends_far = [end in FAR for end in ends]
        if not probe.coupling.listen or not any(ends_far):
            return {"between": list(ends), "latency": link(latency_us)["latency"], "bandwidth": bandwidth(self.described)}
        return {"between": list(ends), **link(latency_us, self.byte_us(probe, all(ends_far)))}

    def byte_us(self, probe, beyond):
        """Between two hosts, or between two controllers of the second one."""
        key = (probe.coupling.name, beyond)
        if key not in self.bytes_us:
            near, (far, other) = HOST_CONTROLLER, FAR
            there = probe.byte_us(far, far)  # to the node and back to the host
            self.bytes_us[key] = probe.byte_us(far, other) - there if beyond else (there - probe.byte_us(near, near)) / 2
        return self.bytes_us[key]


class Plain(yaml.SafeDumper):
    """Graphs and machine files have no anchors."""

    def ignore_aliases(self, data):
        return True
