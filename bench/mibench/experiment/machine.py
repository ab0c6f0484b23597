"""The machine: what it is, and which processor a controller gets."""
import os
import pathlib
import platform
import subprocess

import yaml

from launch import HOST_CONTROLLER
from programs import Problem
from woa import Refused

FAR = ("cpu:1", "cpu:2")  # off the host's processor
ALL = (HOST_CONTROLLER, *FAR)


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


def optimum_sets():
    """Sets of cpu controllers that a best placement is sought in: those with a processor of their own, with and without cpu:0, which
    shares the host's."""
    chosen, _ = cores()
    if not chosen:
        return [ALL]
    own = FAR if chosen[FAR[0]] != chosen[FAR[1]] else FAR[:1]
    return [own, (HOST_CONTROLLER, *own)]


def first_set(placements):
    """The set whose links are measured first, which shows whether a coupling works."""
    return optimum_sets()[0] if "optimum" in placements else (HOST_CONTROLLER, FAR[0]) if "one" in placements else ALL


def text_of(command, folder=None):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=False).stdout.strip()
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
            "load": list(os.getloadavg()), "pinned": chosen, "pinning": note,
        },
        "versions": {"woa": woa.text(["--version"]).strip().removeprefix("woa "), "python": platform.python_version(),
                     "ip": text_of(["ip", "-V"]).removeprefix("ip utility, ")},
    }


def probe(woa):
    """The time of the raw mailbox now, and the state of the processors: near or far."""
    answer = woa.json(["bench", "hop", "--count", "20000", "--repetitions", "3", "--no-peers"])
    medians = {row["contender"]: row["median"] for row in answer["rows"]}
    return {"host_state": answer["host_state"], "mailbox_ns": medians.get("raw mailbox"),
            "hop_ns": medians.get("controller to controller")}


def host_state(woa):
    """near or far; None if this machine cannot tell."""
    try:
        return probe(woa)["host_state"]
    except Refused:
        return None


def calibrate(woa, file, given):
    """The measurements, and the experiment's controllers. `given`: a file of `woa calibrate`, or None
    to measure now into `file`. Refused: `woa calibrate` ended with an error, or a busy machine kept it from ending."""
    measured = given or file
    if not given:
        woa.json(["calibrate", "-o", measured, "--repetitions", "3", "--count", "4000"])
    try:
        machine = yaml.safe_load(measured.read_text())
        if "woa_machine" not in machine:
            raise Problem(f"--machine: {measured} is no machine file; `woa calibrate -o FILE` writes one")
    except (OSError, TypeError, ValueError, yaml.YAMLError) as error:
        raise Problem(f"--machine: {measured} cannot be read: {error}") from error
    return with_controllers(machine)


def with_controllers(machine):
    """`machine` with three controllers on the processors that they are pinned to."""
    chosen, _ = cores()
    groups = {f"p{number}": 1 for number in set(chosen.values())}
    if groups:
        machine["cores"] = groups
    machine["controllers"] = {name: {"cores": f"p{chosen[name]}"} if groups else {} for name in ALL}
    return machine


def add_devices(machine, woa):
    """With --devices: the accelerators that are here. Answers their names."""
    names = []
    for device in woa.json(["devices"])["devices"]:
        if device["available"] and device["kind"] != "cpu":
            machine["controllers"][device["controller"]] = {}
            names.append(device["controller"] + (" (simulated)" if device["simulated"] else ""))
    return names
