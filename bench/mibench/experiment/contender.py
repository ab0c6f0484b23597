"""One plan that is measured: its launches, whether its outputs are right, and its row in the results."""
import hashlib
import statistics

import launch
import traffic
from data import agrees
from plans import in_words
from woa import Refused

LAUNCH_S = 3  # that the instances of a launch may take
WARM_S = 0.05  # that they take where few do: the first ones find cold blocks and pages, and the median leaves them out
LEAST_INSTANCES, MOST_INSTANCES = 3, 64  # of a launch within one host


def enough(one_s, least):
    """How many instances of `one_s` seconds a launch has."""
    one_s = max(one_s, 1e-6)
    return max(1, min(MOST_INSTANCES, int(LAUNCH_S / one_s), max(least, int(WARM_S / one_s))))


class Outputs:
    """Compares the outputs of every instance with what is right; equal files are compared once."""

    def __init__(self, data):
        self.references, self.known = data.references, {}

    def right(self, name, file):
        """None if nothing says what is right."""
        found = file.read_bytes() if file.exists() else b""
        key = (name, hashlib.sha256(found).digest())
        if key not in self.known:
            self.known[key] = agrees(found, self.references[name])
        return self.known[key]


class Contender:
    """`clocks`: stage -> MHz of the hardware that counts its cycles."""

    def __init__(self, woa, planned, coupling, data, outputs, cores, clocks):
        self.woa, self.planned, self.coupling, self.data = woa, planned, coupling, data
        self.outputs, self.cores, self.clocks = outputs, cores, clocks
        self.latencies = []
        self.medians, self.least, self.most, self.launches, self.instances = [], [], [], 0, 0
        self.messages = self.payload = self.wall_s = 0
        self.window = 1
        self.modelled_s, self.counts_cycles = 0, False  # counted cycles of all instances, at their clocks
        self.correct, self.failure, self.began, self.simulated = True, "", False, False
        self.processors, self.routes, self.busy = {}, {}, []

    def warm(self, least):
        """Instances of a launch: so many that most of them are warm, `least` if there is time for them, one at least."""
        return enough(self.one_s(), least)

    def fits(self, instances):
        """The number of instances that a launch has time for: one at least."""
        return max(1, min(instances, MOST_INSTANCES, int(LAUNCH_S / max(self.one_s(), 1e-6))))

    def one_s(self):
        """The time of an instance: the longer one of predicted and measured."""
        predicted = self.planned.prediction["predicted_us"] / 1e6 if self.planned.prediction else 0
        return max([predicted, *self.medians])

    def slow(self):
        """One launch is enough."""
        return self.one_s() > LAUNCH_S / LEAST_INSTANCES

    def launch(self, folder, instances, window=1):
        if self.planned.refusal or self.planned.modelled or self.failure:
            return  # `woa run` refuses plans with modelled times
        instances = self.fits(instances)
        stem = folder / "outputs"
        stem.mkdir(exist_ok=True)
        words = [*in_words(self.data), "--instances", str(instances), "--window", str(window)]
        for name in self.data.references:
            words += ["--out", f"{name}={stem}/{name}-%i"]
        try:
            answer = launch.run(self.woa, self.planned.file, self.coupling, self.planned.placement, words, self.cores)
        except Refused as refused:
            self.failure, self.began = str(refused), refused.began or self.launches > 0
            return
        self.take(answer, instances, stem)

    def take(self, answer, instances, stem):
        turnaround = answer["turnaround_us"]
        self.medians.append(turnaround["p50"] / 1e6)
        self.latencies.append(answer["latency_us"]["p50"] / 1e6)
        self.least.append(turnaround["min"] / 1e6)
        self.most.append(turnaround["max"] / 1e6)
        self.launches += 1
        self.instances += instances
        self.messages += answer["messages"]
        self.payload += answer["payload_bytes"]
        self.wall_s += answer["wall_s"]
        self.count_cycles(answer)
        self.simulated = self.simulated or any(entry["simulated"] for entry in answer["controllers"])
        self.routes = traffic.routes_of(answer, self.planned.placement)
        self.busy = traffic.busy_controllers(answer, self.routes, turnaround["p50"] / 1e6, self.coupling.message_s)
        self.processors = {entry["name"]: entry["processor"] for entry in answer["controllers"] if "processor" in entry}
        for name in self.data.references:
            for k in range(instances):
                file = stem / f"{name}-{k}"
                found = {self.correct, self.outputs.right(name, file)}
                self.correct = None if None in found and False not in found else found == {True}
                file.unlink(missing_ok=True)

    def count_cycles(self, answer):
        """Stages of one controller may have different clocks; their cycles cannot be told apart, so their time is unknown."""
        for entry in answer["controllers"]:
            if entry.get("cycles"):
                clocks = {self.clocks.get(stage) for stage, place in self.planned.placement.items() if place == entry["name"]}
                clock = clocks.pop() if len(clocks) == 1 else None
                self.counts_cycles = True
                self.modelled_s = self.modelled_s + entry["cycles"] / clock / 1e6 if clock and self.modelled_s is not None else None

    def status(self):
        if self.planned.refusal or (self.failure and not self.began):
            return "refused"
        return "failed" if self.failure or not (self.instances or self.planned.modelled) else self.planned.status

    def not_compared(self):
        names = [name for name, reference in self.data.references.items() if reference.data is None]
        return f"output {', '.join(names)} not compared: neither golden data nor a CPU-only program's output" if names else None

    def row(self):
        """Absent values are null, never zero."""
        planned, ran = self.planned, self.instances > 0 and not self.failure
        prediction = planned.prediction or {}
        predicted_us = prediction.get("predicted_us")
        timed = ran and not self.counts_cycles  # a simulator's own time says nothing of the hardware
        return {
            "model": planned.model, "where": planned.where, "correct": self.correct if ran else None,
            "messages": self.messages / self.instances if ran else None, "predicted_messages": prediction.get("messages"),
            "payload_bytes": self.payload / self.instances if ran else None,
            "predicted_payload_bytes": prediction.get("payload_bytes"),
            "time_s": statistics.median(self.medians) if timed else None,
            "predicted_time_s": predicted_us / 1e6 if predicted_us is not None else None,
            "modelled_time_s": self.modelled_s / self.instances if ran and self.modelled_s else None,
            "latency_s": statistics.median(self.latencies) if timed else None,
            "min_s": min(self.least) if timed else None, "max_s": max(self.most) if timed else None,
            "modelled": planned.modelled, "simulated": self.simulated, "placement": planned.placement, "status": self.status(),
            "processors": self.processors, "busy": self.busy,
            "busy_share_a_processor": traffic.share_a_processor(self.busy, self.cores) if ran else None,
            "note": self.not_compared() if ran else None, "reason": planned.refusal or self.failure or None, "launches": self.launches, "instances": self.instances,
        }
