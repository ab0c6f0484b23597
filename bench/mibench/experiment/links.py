"""Machine files of the couplings: costs of messages between the controllers of the experiment, where they are pinned.

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

SMALL, MIDDLE, LARGE = 64, 1 << 15, 1 << 18  # bytes of the tokens that links are measured with
INSTANCES = 100  # of a probe that sends payloads
TURNS = 600  # firings in a row of a probe that measures latency
TURN_INSTANCES = 5
# A scatter has a place for each element in flight. Large places are new pages for each element, which cost more than the copy saves.
MOST_INLINE = 1024
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
STAGE = '  {name}: {{kernel: {kernel}, in: {{data: {source}}}, on: "{place}"}}\n'


def ball_graph(first, second, others):
    """Two stages throw a ball; a stage on each of `others` passes a token on once."""
    copies = "".join(STAGE.format(name=f"other{k}", kernel="copy", source="data", place=place) for k, place in enumerate(others))
    outputs = "".join(f", other{k}: other{k}.data" for k in range(len(others)))
    # The graph needs a reader of `data`.
    unread = "" if others else STAGE.format(name="other", kernel="copy", source="data", place=first)
    return INPUTS + BALL.format(first=first, second=second) + copies + unread + \
        f"outputs: {{zero: [first.done, second.done]{outputs}{', other: other.data' if unread else ''}}}\n"


def chain_graph(kernels, places):
    """Two stages that a token goes through."""
    stages = zip(("first", "second"), kernels, ("data", "first.data"), places)
    text = "".join(STAGE.format(name=name, kernel=kernel, source=source, place=place) for name, kernel, source, place in stages)
    return INPUTS.replace('n: {type: "i64[1]"}, ', "") + text + "outputs: {data: second.data}\n"


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

    def size_us(self, size, places, kernels=("copy", "copy")):
        """A token through two stages."""
        data = self.folder / f"probe-{size}"
        data.write_bytes(bytes(size))
        return self.time_us(chain_graph(kernels, places), set(places), ["--in", f"data={data}"], INSTANCES)

    def wire_byte_us(self, one, other):
        """A byte of a token on its way through two stages that do not look at it."""
        return (self.size_us(LARGE, (one, other)) - self.size_us(SMALL, (one, other))) / (LARGE - SMALL)

    def cache_byte_us(self, one, other):
        """The extra time of a byte that is read and written on another processor: there and back."""
        def of(*places):
            return self.size_us(MIDDLE, places, ("invert", "invert")) - self.size_us(SMALL, places, ("invert", "invert"))
        return max(0, of(one, other) - of(one, one)) / 2 / MIDDLE

    def wake_us(self, one, other):
        """How much later a message comes that finds its reader asleep: a long firing is before it."""
        def of(*places):
            return self.size_us(LARGE, places, ("invert", "touch"))
        return max(0, of(one, other) - of(one, one) - self.hop_us(one, other))


def link(latency_us, per_byte_us=0.0):
    """The text of a machine file; a link measured as free costs a nanosecond and a terabyte a second."""
    rate = int(1 / max(per_byte_us, 1e-6))
    return {"latency": f"{max(1, round(latency_us * 1000))}ns", "bandwidth": f"{max(1, rate)}MB/s"}


def calibrated(described):
    return described.get("calibration", {}).get("transports", {}).get("shm", {}).get("links", [])


def of_devices(described):
    """Links of the kinds of devices that the machine has."""
    kinds = {"host", *(name.partition(":")[0] for name in described["controllers"])}
    return [entry for entry in calibrated(described) if DEVICES & set(entry["between"]) and set(entry["between"]) <= kinds]


def in_words(links):
    return "; ".join(f"{' to '.join(entry['between'])} {entry['latency']}, {entry['bandwidth']}" for entry in links if DEVICES.isdisjoint(entry["between"]))


class Machines:
    """The machine file of each coupling and set of controllers, measured when it is first asked for."""

    def __init__(self, woa, described, given, folder, out):
        """`given`: the user's own file, or None; its links replace measured ones within one host. Files are written to `out`."""
        self.woa, self.described, self.given, self.folder, self.out = woa, described, given, folder, out
        self.files, self.once = {}, {}

    def file(self, coupling, state, used):
        """`state`: near or far, as the host of a virtual machine has its processors now. Within one host it decides what a message
        costs, so that each state has a file of its own. `used`: cpu controllers."""
        used = tuple(sorted(used))
        stem = "-".join([coupling.name, *([] if coupling.listen or state is None else [state])])
        name = "-".join([stem, *(place.replace(":", "") for place in used)])
        if name not in self.files:
            described = self.described_for(used)
            if (self.given and not coupling.listen) or not machine.cores()[0]:
                source = f"links of {self.given}" if self.given else "links of `woa calibrate`: with one processor nothing is pinned"
                coupling.notes += [source] if source not in coupling.notes else []
            else:
                described = self.measured(described, coupling, used, stem, name)
            file = self.out / f"machine-{name}.yaml"
            file.write_text(yaml.dump(described, Dumper=Plain, sort_keys=False))
            self.files[name] = file
        return self.files[name]

    def described_for(self, used):
        controllers = self.described["controllers"]
        devices = {place: entry for place, entry in controllers.items() if place not in ALL}
        return self.described | {"controllers": {place: controllers[place] for place in used} | devices}

    def measured(self, described, coupling, used, stem, name):
        """`described` with the links of a coupling and what waking takes there."""
        probe = LinkProbe(self.woa, coupling, self.folder, used)
        found = [self.entry(probe, stem, ("host", place), probe.host_hop_us(place)) for place in used]
        found += [self.entry(probe, stem, pair, probe.hop_us(*pair)) for pair in itertools.combinations(used, 2)]
        coupling.notes.append(f"measured, {name}: {in_words(found)}")
        out = described | {"links": [*found, *of_devices(described)]}
        transports = out.get("calibration", {}).get("transports", {})
        if "shm" in transports:
            shm = dict(transports["shm"])
            if not coupling.listen:  # over a wire the token of that probe takes longer than the waking
                wake_us = self.measure_once((stem, "wake"), lambda: probe.wake_us(FAR[0], HOST_CONTROLLER))
                coupling.notes[-1] += f"; waking {wake_us:.1f} us"
                shm["wake"] = f"{round(wake_us * 1000)}ns"
            if shm["inline_bytes"] > MOST_INLINE:
                note = f"payloads over {MOST_INLINE} bytes stay in place, though `woa calibrate` would send {shm['inline_bytes']} inline"
                coupling.notes += [note] if note not in coupling.notes else []
                shm["inline_bytes"] = MOST_INLINE
            out["calibration"] = out["calibration"] | {"transports": transports | {"shm": shm}}
        return out

    def entry(self, probe, stem, ends, latency_us):
        return {"between": list(ends), **link(latency_us, self.byte_us(probe, stem, ends))}

    def byte_us(self, probe, stem, ends):
        """Controllers that share a processor share its caches, too."""
        cores, listen, (near, far, beyond) = probe.cores, probe.coupling.listen, ALL
        away = sum(end in FAR for end in ends)
        if listen and away:
            def there():
                return self.measure_once((stem, "there"), lambda: probe.wire_byte_us(far, far))  # to the node and back to the host
            if away == 2:
                return self.measure_once((stem, "beyond"), lambda: probe.wire_byte_us(far, beyond) - there())
            return self.measure_once((stem, "wire"), lambda: (there() - probe.wire_byte_us(near, near)) / 2)
        if cores[ends[0]] == cores[ends[1]]:
            return 0
        return self.measure_once((stem, "cache"), lambda: probe.cache_byte_us(near, far))

    def measure_once(self, key, measure):
        if key not in self.once:
            self.once[key] = measure()
        return self.once[key]


class Plain(yaml.SafeDumper):
    """Graphs and machine files have no anchors."""

    def ignore_aliases(self, data):
        return True
