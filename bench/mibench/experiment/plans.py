"""Profiles and plans of a graph: each call model at its own optimum, and all of them at one placement."""
import dataclasses
import json
import pathlib

from launch import HOST_CONTROLLER
from machine import ALL, FAR, optimum_sets
from programs import Problem
from woa import Refused

MODELS = ("woa", "rpc-fused", "rpc-hub", "rpc-nested", "rpc-polled")
PLACEMENTS = {
    "optimum": "each model where it is best",
    "one": "remote stages on cpu:1, the others beside the host",
    "two": "remote stages on cpu:1 and cpu:2 in turns, the others beside the host",
    "pair": "dijkstra fine only, woa, tight: queue on cpu:0 beside the host, relax on cpu:1",
    "device": "with --devices: remote stages on the accelerators that have a variant, the others beside the host",
}
PAIR_OF = ("dijkstra", "fine")  # for the bar of a loop over two controllers (bars.py)
SEARCH = "2s"


@dataclasses.dataclass
class Planned:
    """A plan, or why there is none."""
    model: str
    where: str  # a key of PLACEMENTS
    file: pathlib.Path = None
    placement: dict = None  # stage -> controller
    prediction: dict = None
    status: str = ""
    refusal: str = ""
    modelled: bool = False


def profile(woa, variant, data, file):
    """Measures the stages. Answers the profile and what it lacks: (stage, kind, reason)."""
    words = ["profile", variant.graph, "-o", file, "--repetitions", "5", "--seconds", "4", *in_words(data), *param_words(variant, data)]
    woa.json(words)
    answer = json.loads(file.read_text())
    lacking = [(name, kind, entry["missing"]) for name, stage in answer["stages"].items()
               for kind, entry in stage["on"].items() if "missing" in entry]
    return answer, lacking


def in_words(data):
    return [word for name, file in data.inputs.items() for word in ("--in", f"{name}={file}")]


def param_words(variant, data):
    words = []
    for name, value in variant.params.items():
        texts = [f"{stage}.{name}={data.files[name]}" for stage in value] if isinstance(value, list) else [f"{name}={value}"]
        words += [word for text in texts for word in ("--param", text)]
    return words


def is_remote(stage, remote):
    return any(stage == name or stage.startswith(name + "/") or stage.split("/")[-1] == name for name in remote)


def on_devices(profile_of, program):
    """Stage -> controller: the first kind of accelerator that a remote stage was measured on."""
    places = {}
    for name, stage in profile_of["stages"].items():
        kinds = [kind for kind in ("gpu", "fpga") if "time_ps" in stage["on"].get(kind, {})] if is_remote(name, program.remote) else []
        places[name] = f"{kinds[0]}:0" if kinds else HOST_CONTROLLER
    if set(places.values()) == {HOST_CONTROLLER}:
        raise Problem("placement `device`: no remote stage has a variant that runs on an accelerator here")
    return places


def pins(profile_of, program, where):
    """Stage -> controller."""
    if where == "device":
        return on_devices(profile_of, program)
    away = [name for name in profile_of["stages"] if is_remote(name, program.remote)]
    away.sort(key=lambda name: next(k for k, listed in enumerate(program.remote) if is_remote(name, (listed,))))
    controllers = {"one": FAR[:1], "two": FAR, "pair": (HOST_CONTROLLER, FAR[0])}[where]
    if len(away) < len(controllers):
        raise Problem(f"placement `{where}`: too few stages of this graph may leave the host's processor: {len(away)} of {len(controllers)}")
    places = {name: controllers[k % len(controllers)] for k, name in enumerate(away)}
    return {name: places.get(name, HOST_CONTROLLER) for name in profile_of["stages"]}


def restricted(profile_of, placement, kinds):
    """The profile with times only where a stage may be: that pins it, and every call model is certified there."""
    out = json.loads(json.dumps(profile_of))
    for name, stage in out["stages"].items():
        times = {kind: entry for kind, entry in stage["on"].items() if kind in kinds}
        if placement and "time_ps" in times.get(placement[name].partition(":")[0], {}):
            times = {placement[name]: times[placement[name].partition(":")[0]]}
        stage["on"] = times
    return out


def kernels(profile_of):
    """Stage -> its firings of an instance, and the time of one on a cpu."""
    return {name: {"firings": stage["firings"], "time_s": stage["on"]["cpu"]["time_ps"] / 1e12}
            for name, stage in profile_of["stages"].items() if "time_ps" in stage["on"].get("cpu", {})}


def grain_us(profile_of):
    """Mean time of a firing on a cpu."""
    entries = kernels(profile_of).values()
    firings = sum(entry["firings"] for entry in entries)
    return sum(entry["firings"] * entry["time_s"] for entry in entries) / firings * 1e6 if firings else None


def clocks(profile_of):
    """Stage -> MHz where a device counted cycles."""
    return {name: entry["clock_mhz"] for name, stage in profile_of["stages"].items() for entry in stage["on"].values() if "clock_mhz" in entry}


class Planner:
    """Compiles a variant for a coupling."""

    def __init__(self, woa, program, variant, data, profile_of, kinds, folder):
        self.woa, self.program, self.variant, self.data = woa, program, variant, data
        self.profile, self.kinds, self.folder = profile_of, kinds, folder

    def plan(self, machine_of, coupling, model, where, window=1, objective="latency"):
        """`machine_of`: used controllers -> machine file. Each set of controllers is tried, if they may be chosen."""
        placement = pins(self.profile, self.program, where) if where != "optimum" else None
        used = {place for place in (placement or {}).values() if place in ALL}
        sets = [tuple(used or {HOST_CONTROLLER})] if placement else optimum_sets()
        stem = self.folder / f"{self.program.name}-{self.variant.name}-{coupling}-{where}-{model}-{window}-{objective}"
        pinned = stem.with_suffix(".profile.json")
        pinned.write_text(json.dumps(restricted(self.profile, placement, self.kinds)))
        tried = []
        for number, used in enumerate(sets):
            planned = Planned(model, where, stem.with_suffix(f".{number}.plan"))
            words = ["compile", self.variant.graph, "--machine", machine_of(used), "--profile", pinned, "--model", model, "--window",
                     str(window), "--objective", objective, "--placement-limit", SEARCH, "-o", planned.file,
                     *param_words(self.variant, self.data)]
            tried.append(self.compiled(planned, words))
        found = [planned for planned in tried if not planned.refusal]
        key = {"latency": "predicted_us", "throughput": "period_us"}[objective]
        return min(found, key=lambda planned: planned.prediction[key]) if found else tried[0]

    def compiled(self, planned, words):
        try:
            answer = self.woa.json(words)
        except Refused as refused:
            planned.refusal = str(refused)
            return planned
        planned.placement = answer["placement"]
        planned.prediction = answer["certificate"]["prediction"]
        planned.status = answer["certificate"]["status"]
        planned.modelled = bool(answer.get("modelled") or answer["certificate"].get("modelled"))
        return planned
