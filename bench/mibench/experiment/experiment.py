"""The experiment: every program and variant under every call model, coupling and placement."""
import dataclasses
import itertools
import random
import traceback

import machine
from baseline import Baseline
from contender import LEAST_INSTANCES, Contender, Outputs, enough
from data import resolve
from plans import MODELS, PAIR_OF, Planner, clocks, grain_us, kernels, profile
from programs import Problem
from traffic import RawMailboxes
from woa import Refused

WINDOW = 16
MANY = 64
ATTEMPTS = 2  # when the host of a virtual machine moves the processors meanwhile


@dataclasses.dataclass
class Setting:
    """Shared by all programs."""
    woa: object
    build: object
    belongings: object
    couplings: list
    machines: object  # links.Machines
    kinds: tuple
    data_folder: object
    repeat: int
    seed: int
    placements: tuple
    models: tuple = MODELS


def skip(results, reason, program=None, variant=None, coupling=None, where=None):
    """Notes that something is left out; None means all."""
    results["skipped"].append({"program": program, "variant": variant, "coupling": coupling, "where": where, "reason": reason})


class Unit:
    """A variant of a program: prepared once, then measured coupling by coupling."""

    def __init__(self, setting, program, variant, results):
        self.setting, self.program, self.variant, self.results = setting, program, variant, results
        self.folder = setting.belongings.folder
        self.cores, _ = machine.cores()
        self.key = {"program": program.name, "variant": variant.name}

    def prepare(self):
        setting, program = self.setting, self.program
        self.data = resolve(program, self.variant, setting.data_folder, self.folder)
        self.outputs = Outputs(self.data)
        self.entry = {**self.key, "summary": program.summary, "paper": program.paper, "case": self.data.case, "data": self.data.source,
                      "references": {name: reference.source for name, reference in self.data.references.items()},
                      "baseline": None, "baseline_absent": None, "probes": []}
        self.results["programs"].append(self.entry)
        self.baseline = None
        try:
            processors = {self.cores["cpu:1"]} if self.cores else None
            self.baseline = Baseline(setting.build, program, self.data, setting.woa, processors)
            self.baseline.run(self.folder, LEAST_INSTANCES)
            one_s = self.baseline.least_s()
            self.baseline.forget()
            self.baseline.run(self.folder, enough(one_s, LEAST_INSTANCES))
            self.entry["baseline"] = self.baseline.as_json()
        except Problem as problem:
            self.baseline = None
            self.entry["baseline_absent"] = str(problem)
        file = self.folder / f"{program.name}-{self.variant.name}.profile.json"
        self.profile, lacking = profile(setting.woa, self.variant, self.data, file)
        self.entry["grain_us"] = grain_us(self.profile)
        self.entry["kernels"] = kernels(self.profile)
        self.entry["packets"] = sum(edge["tokens"] for edge in self.profile["edges"])
        self.entry["source_s"] = self.profile.get("source_ps", 0) / 1e12
        self.entry["unmeasured"] = [{"stage": stage, "kind": kind, "reason": reason} for stage, kind, reason in lacking]
        self.planner = Planner(setting.woa, program, self.variant, self.data, self.profile, setting.kinds, self.folder)

    def contender(self, coupling, state, where, model, window=1, objective="latency"):
        if where == "device" and coupling.listen:
            raise Problem("placement `device`: accelerators are those of this host")

        def machine_of(used):
            return self.setting.machines.file(coupling, state, used)
        planned = self.planner.plan(machine_of, coupling.name, model, where, window, objective)
        # The host sleeps during a loop; where it is pinned beside a controller, that one would not spin.
        cores = {name: number for name, number in self.cores.items() if where != "pair" or name != "host"}
        return Contender(self.setting.woa, planned, coupling, self.data, self.outputs, cores, clocks(self.profile))

    def contenders(self, coupling, state):
        """One per call model and placement, each with its plan."""
        found = []
        for where in self.setting.placements:
            if where == "pair" and (coupling.listen or (self.program.name, self.variant.name) != PAIR_OF):
                continue
            try:
                found += [self.contender(coupling, state, where, model) for model in self.setting.models if where != "pair" or model == "woa"]
            except Problem as problem:
                self.skip(coupling, str(problem), where)
        return found

    def skip(self, coupling, reason, where=None):
        skip(self.results, reason, **self.key, coupling=coupling.name if coupling else None, where=where)

    def probe(self, coupling):
        """near or far."""
        try:
            probed = machine.probe(self.setting.woa)
        except Refused as refused:
            probed = {"host_state": None, "reason": str(refused)}
        self.entry["probes"].append({"coupling": coupling.name, **probed})
        return probed["host_state"]

    def measure(self, coupling):
        """Once more if the processors were moved meanwhile, for then neither prediction nor raw mailbox is of the same machine."""
        for left in reversed(range(ATTEMPTS)):
            before = self.probe(coupling)
            skipped = len(self.results["skipped"])
            contenders = self.contenders(coupling, before)
            self.take_turns(coupling, contenders)
            raw = RawMailboxes(self.setting.woa, self.cores)
            rows = list(self.rows(coupling, contenders, raw))
            after = self.probe(coupling)
            if before == after or coupling.listen or not left:
                break
            del self.results["skipped"][skipped:]
        for row in rows:
            row["host_state"] = before if before == after else "mixed"
        if self.baseline:
            self.entry["baseline"] = self.baseline.as_json()
        self.results["runs"] += rows

    def take_turns(self, coupling, contenders):
        """One instance at a time; contenders take turns, in an order that the seed gives."""
        rounds = 1 if coupling.listen else self.setting.repeat
        instances = self.setting.repeat + 1 if coupling.listen else LEAST_INSTANCES
        order = random.Random(f"{self.setting.seed} {self.key} {coupling.name}")
        for turn in range(rounds):
            order.shuffle(contenders)
            for contender in contenders:
                if turn == 0 or not contender.slow():
                    contender.launch(self.folder, contender.warm(instances))
            if self.baseline and turn > 0:
                self.baseline.run(self.folder, enough(self.baseline.time_s(), LEAST_INSTANCES))

    def rows(self, coupling, contenders, raw):
        places = {where: k for k, where in enumerate(self.setting.placements)}
        contenders.sort(key=lambda one: (places[one.planned.where], MODELS.index(one.planned.model)))
        limit = self.baseline.amdahl_limit() if self.baseline else None
        # The profile has the time of the host to read the input.
        files_s = max(0, self.baseline.files_s() - self.entry["source_s"]) if self.baseline else 0
        for contender in contenders:
            row = {**self.key, "coupling": coupling.name, **contender.row()}
            row["acceleration"] = self.baseline.time_s() / row["time_s"] if self.baseline and row["time_s"] else None
            row["amdahl_limit"] = limit
            if row["predicted_time_s"] is not None:
                row["predicted_time_s"] += files_s
            measurable = row["time_s"] and not coupling.listen and not row["simulated"]
            row["raw_s"] = raw.instance_s(self.entry["kernels"], contender.routes) if measurable else None
            row["raw_hop_s"] = raw.busiest_s(contender.routes) if measurable else None
            yield row

    def throughput(self, coupling):
        """Many instances at once, placed for that; woa also at the fixed placements, which the chosen one must not lose to."""
        state = self.entry["probes"][-1]["host_state"]
        for where, model in itertools.product(self.setting.placements, self.setting.models):
            contender = self.many(coupling, state, where, model) if where == "optimum" or (model == "woa" and where in ("one", "two")) else None
            if contender:
                self.results["throughput"].append(self.throughput_row(coupling, contender))

    def many(self, coupling, state, where, model):
        """A contender that ran; with a smaller window if the plan with the usual one would need too much memory."""
        contender, window = None, WINDOW
        while window > 1:
            try:
                contender = self.contender(coupling, state, where, model, window, "throughput")
            except Problem:
                return None  # measure() says why
            contender.launch(self.folder, MANY, window)
            contender.window = window
            if contender.status() != "refused" or model == "rpc-nested":
                break
            window //= 2
        return contender

    def throughput_row(self, coupling, contender):
        row, period = contender.row(), (contender.planned.prediction or {}).get("period_us")
        timed = contender.wall_s and not contender.counts_cycles
        return {**self.key, "coupling": coupling.name, "where": row["where"], "model": row["model"], "window": contender.window,
                "instances": row["instances"], "correct": row["correct"],
                "throughput_per_s": contender.instances / contender.wall_s if timed else None,
                "predicted_per_s": 1e6 / period if period else None, "placement": row["placement"], "status": row["status"],
                "reason": row["reason"]}


def units(setting, programs, wanted, results):
    """`wanted`: names of variants; empty: all."""
    for program in programs:
        chosen = [variant for variant in program.variants if not wanted or variant.name in wanted]
        if not chosen:
            skip(results, f"it has no variant {' or '.join(wanted)}", program=program.name)
        yield from (Unit(setting, program, variant, results) for variant in chosen)


def guarded(unit, coupling, step, *arguments):
    """True if the step went well. A reason stands in the results, and a fault of this program has its traceback on stderr."""
    try:
        step(*arguments)
        return True
    except (Problem, Refused, OSError) as error:
        unit.skip(coupling, str(error))
    except Exception as error:  # the other programs go on
        traceback.print_exc()
        unit.skip(coupling, f"a fault of woa-mibench: {type(error).__name__}: {error}")
        unit.results["faults"] += 1
    return False


def run_unit(unit, couplings, progress):
    """Whatever goes wrong with a program is in the results, and the others go on."""
    name = f"{unit.program.name} {unit.variant.name}"
    progress.step(f"{name}: profile and CPU-only program")
    if not guarded(unit, None, unit.prepare):
        progress.skip(len(couplings))
        return
    for coupling in couplings:
        progress.step(f"{name}: {coupling.name}")
        if guarded(unit, coupling, unit.measure, coupling) and not coupling.listen:
            guarded(unit, coupling, unit.throughput, coupling)


def weights(count, couplings):
    return list(itertools.chain.from_iterable([1, *(5 if coupling.listen else 2 for coupling in couplings)] for _ in range(count)))
