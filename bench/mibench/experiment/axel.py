"""The study of the paper's machine: Axel's CPU, GPU and FPGA, by model only. No time here is a measurement of hardware.

Kernel times are measured here and scaled to Axel's CPU. Accelerators are so much quicker that free communication gives the published limit.
"""
import json
import math

import yaml

import bars
import paper
from data import resolve
from plans import MODELS, SEARCH, grain_us, is_remote, param_words, profile
from programs import Problem
from woa import Refused

COUPLINGS = ("tight", "loose")
QUICKEST = 1000  # an accelerator is at most so much quicker than the CPU
BLOCK_US = 0.02  # of a basic block on that CPU: some twenty instructions
LUTS, MEMORY = 200000, 4 << 30  # of the FPGA, beside its packet node, and of the GPU (graphs/machines/axel-*.yaml)


def accelerator_entries(time_ps, share):
    """Modelled times on both accelerators. `share`: stages that fit on one, or None without a limit."""
    entry = {"time_ps": max(1, round(time_ps)), "modelled": True}
    if share is None:
        return {"gpu": dict(entry), "fpga": dict(entry)}
    return {"gpu": {**entry, "resources": {"memory": MEMORY // share}}, "fpga": {**entry, "resources": {"luts": LUTS // share}}}


def split(stages, remote):
    """Stages that stay on the CPU, and those that may leave it; stages that never fired are in neither."""
    fired = {name: stage for name, stage in stages.items() if stage["firings"] and "time_ps" in stage["on"].get("cpu", {})}
    away = [name for name in fired if is_remote(name, remote)]
    return [name for name in fired if name not in away], away


def quicker(limit, here_ps, away_ps):
    """How much quicker than the CPU accelerators are, and by what the time of the stages that stay is multiplied, so that free communication
    gives `limit`. Times are measured ones where that is possible. If stages that stay take more than the limit allows, their time is cut,
    and accelerators take next to nothing."""
    left_ps = (here_ps + away_ps) / limit - here_ps
    if left_ps >= away_ps / QUICKEST:
        return away_ps / left_ps, 1.0
    rest_ps = away_ps * (1 - limit / QUICKEST) / (limit - 1)
    return QUICKEST, rest_ps / here_ps


def axel_profile(measured, program, slower, limited):
    """The profile of Axel, the time of the CPU alone in us, and what quicker() answers."""
    limit = paper.limit(program.paper)
    here, away = split(measured["stages"], program.remote)
    if not here or not away:
        raise Problem("no stage stays on the CPU" if away else "no stage may leave the CPU")

    def time_ps(name):
        return measured["stages"][name]["on"]["cpu"]["time_ps"] * slower

    def sum_ps(names):
        return sum(time_ps(name) * measured["stages"][name]["firings"] for name in names)
    speed, scale = quicker(limit, sum_ps(here), sum_ps(away))
    out = {name: value for name, value in measured.items() if name not in ("source_ps", "ok")}
    out["stages"] = json.loads(json.dumps(measured["stages"]))
    share = max(1, math.ceil(len(away) / 2)) if limited else None
    for name, stage in out["stages"].items():
        if name in away:
            stage["on"] = {"cpu": {"time_ps": round(time_ps(name))}, **accelerator_entries(time_ps(name) / speed, share)}
        elif name in here:
            stage["on"] = {"cpu": {"time_ps": max(1, round(time_ps(name) * scale))}}
    alone_ps = sum(stage["firings"] * stage["on"]["cpu"]["time_ps"] for name, stage in out["stages"].items() if name in here + away)
    return out, alone_ps / 1e6, {"speed": speed, "scale": scale}


def row_of(woa, variant, data, file, machine, model, alone_us):
    words = ["compile", variant.graph, "--machine", machine, "--profile", file, "--model", model, "--window", "1", "--placement-limit",
             SEARCH, "-o", file.with_suffix(".plan"), *param_words(variant, data)]
    try:
        answer = woa.json(words)
    except Refused as refused:
        return {"model": model, "status": "refused", "reason": str(refused), "acceleration": None, "placement": None}
    certificate = answer["certificate"]
    return {"model": model, "status": certificate["status"], "reason": None, "placement": answer["placement"],
            "acceleration": alone_us / certificate["prediction"]["serial_us"]}


class Axel:
    """Its machine files: as published, and with bandwidth without end, which shows what bytes cost."""

    def __init__(self, source, folder):
        self.files, self.free, self.latency_us = {}, {}, {}
        for coupling in COUPLINGS:
            self.files[coupling] = source / "graphs" / "machines" / f"axel-{coupling}.yaml"
            machine = yaml.safe_load(self.files[coupling].read_text())
            link = next(link for link in machine["links"] if set(link["between"]) == {"cpu", "gpu"})
            self.latency_us[coupling] = float(link["latency"][:-2]) * {"ns": 1e-3, "us": 1}[link["latency"][-2:]]
            links = [dict(link, bandwidth="1000000GB/s") for link in machine["links"]]
            self.free[coupling] = folder / f"axel-{coupling}-without-bytes.yaml"
            self.free[coupling].write_text(json.dumps(dict(machine, links=links)))


def called_per_block(made, away, latency_us):
    """The acceleration of RPC whose calls are blocks of BLOCK_US: each stage leaves the CPU if that is quicker with two messages a block."""
    alone_us = best_us = 0
    for name, stage in made["stages"].items():
        if "time_ps" not in stage["on"].get("cpu", {}):
            continue
        here_us = stage["firings"] * stage["on"]["cpu"]["time_ps"] / 1e6
        there_us = here_us
        if name in away:
            there_us = stage["firings"] * stage["on"]["gpu"]["time_ps"] / 1e6 + max(stage["firings"], here_us / BLOCK_US) * 2 * latency_us
        alone_us, best_us = alone_us + here_us, best_us + min(here_us, there_us)
    return alone_us / best_us


def study(woa, axel, program, variant, data_folder, folder, slower):
    """Rows of a variant: both couplings, free and limited accelerators, every model."""
    data = resolve(program, variant, data_folder, folder)
    stem = folder / f"axel-{program.name}-{variant.name}"
    measured, _ = profile(woa, variant, data, stem.with_suffix(".measured.json"))
    for limited in (False, True):
        made, alone_us, chosen = axel_profile(measured, program, slower, limited)
        file = stem.with_suffix(".limited.json" if limited else ".json")
        file.write_text(json.dumps(made))
        key = {"program": program.name, "paper": program.paper, "variant": variant.name, "grain_us": grain_us(made), "limited": limited,
               "modelled": True, "limit": paper.limit(program.paper), "alone_us": alone_us, **chosen}
        for coupling in COUPLINGS:
            blocks = called_per_block(made, split(measured["stages"], program.remote)[1], axel.latency_us[coupling])
            without = row_of(woa, variant, data, file, axel.free[coupling], "woa", alone_us)["acceleration"]
            for model in MODELS:
                row = row_of(woa, variant, data, file, axel.files[coupling], model, alone_us)
                yield {**key, "coupling": coupling, "without_bytes": without, "called_per_block": blocks, **row}


def share(value, limit):
    return "-" if value is None else f"{value / limit:.3f}"


TITLES = ("program", "variant", "grain", "coupling", "limit", "woa", *MODELS[1:], "rpc per block", "no bytes", "share", "paper's", "woa, why not")
LIMITED_TITLES = ("program", "variant", "coupling", "woa", *MODELS[1:], "woa by rpc-fused")


def why(first, woa, papers):
    """The losses that make the share of the limit differ from the paper's; empty if it does by a tenth at most."""
    limit = first["limit"]
    if woa is None or papers is None or abs(woa / limit - papers / limit) <= 0.1:
        return ""
    lost, messages = 1 / woa - 1 / limit, 1 / first["without_bytes"] - 1 / limit
    if woa > papers:
        return f"the paper loses {1 / papers - 1 / limit:.3f} of the CPU's time, this graph {lost:.3f}"
    if messages > 0.9 * lost:
        return f"loses {lost:.3f} of the CPU's time to messages: too fine"
    return f"loses {lost - messages:.3f} of the CPU's time to bytes, {messages:.3f} to messages; the paper counts no input"


def grouped(rows, limited):
    groups = {}
    for row in rows:
        if row["limited"] == limited:
            groups.setdefault((row["program"], row["variant"], row["coupling"]), {})[row["model"]] = row
    return groups


def shown(models):
    return [f"{models[model]['acceleration']:.3f}" if models[model]["acceleration"] else "refused" for model in MODELS]


def table(rows):
    cells = []
    for (program, variant, coupling), models in grouped(rows, False).items():
        first = next(iter(models.values()))
        woa, papers = models["woa"]["acceleration"], paper.woa(first["paper"], coupling)
        without = f"{first['without_bytes']:.3f}" if first["without_bytes"] else "-"
        cells.append([program, variant, f"{first['grain_us']:.3g} us", coupling, f"{first['limit']:.3f}", *shown(models),
                      f"{first['called_per_block']:.3f}", without, share(woa, first["limit"]), share(papers, first["limit"]), why(first, woa, papers)])
    return "Axel, modelled: accelerations over its CPU alone", TITLES, cells


def limited_table(rows):
    cells = []
    for (program, variant, coupling), models in grouped(rows, True).items():
        woa, fused = models["woa"]["acceleration"], models["rpc-fused"]["acceleration"]
        cells.append([program, variant, coupling, *shown(models), f"{woa / fused:.3f} x" if woa and fused else "-"])
    return "Axel, modelled: GPU and FPGA hold half of the remote stages each", LIMITED_TITLES, cells


def judge(rows):
    """woa is as quick as each RPC model, and each of them as the CPU alone, to the three digits that the paper has."""
    groups, wrong = {}, []
    for row in rows:
        groups.setdefault((row["program"], row["variant"], row["coupling"], "limited" if row["limited"] else "free"), {})[row["model"]] = row["acceleration"]
    for key, found in groups.items():
        rpc = [round(value, 3) for model, value in found.items() if model != "woa" and value is not None]
        if found["woa"] is None or not rpc or round(found["woa"], 3) < max(rpc) or min(rpc) < 1:
            wrong.append(" ".join(key))
    found = f"{len(groups) - len(wrong)} of {len(groups)}" + (f": not {', '.join(wrong)}" if wrong else "")
    return [bars.bar("Axel, each program, grain, coupling and capacity", "woa >= every RPC model >= 1.000", found, not wrong and bool(groups))]


def chart(rows, coupling, limited):
    keys = list(dict.fromkeys((row["program"], row["variant"], row["paper"]) for row in rows))
    found = {(row["program"], row["variant"], row["paper"], row["model"]): row["acceleration"] for row in rows
             if (row["coupling"], row["limited"]) == (coupling, limited)}
    series = [{"name": model, "values": [found.get((*key, model)) for key in keys]} for model in MODELS]
    series += [{"name": "paper: Amdahl's limit", "values": [paper.limit(key[2]) for key in keys], "mark": "line"},
               {"name": "paper: WOA", "values": [paper.woa(key[2], coupling) for key in keys], "mark": "star"},
               {"name": "paper: RPC", "values": [paper.rpc(key[2], coupling) for key in keys], "mark": "triangle"}]
    capacity = "limited accelerators" if limited else "accelerators without limits"
    return {"kind": "bars", "title": f"Axel, modelled: {coupling}, {capacity}", "unit": "times the CPU alone", "log": True,
            "labels": [" ".join(key[:2]) for key in keys], "series": series}


def all_tables(results):
    rows = results["rows"]
    refused = dict.fromkeys((row["program"], row["variant"], row["model"], row["reason"]) for row in rows if row["reason"])
    skipped = [(row["program"], row["variant"], "all", row["reason"]) for row in results["skipped"]]
    left_out = ("Axel: left out", ("program", "variant", "model", "reason"), [list(row) for row in [*refused, *skipped]])
    return [one for one in (table(rows), limited_table(rows), left_out) if one[2]]


def charts(results):
    return [chart(results["rows"], coupling, limited) for coupling in COUPLINGS for limited in (False, True)] if results["rows"] else []


def text(results):
    return f"Nothing here was measured on Axel. Kernel times of this machine, {results['slower']:g} times as long, on its CPU."


def document(results):
    tables = [dict(zip(("title", "columns", "rows"), part)) for part in [bars.table(results), *all_tables(results)]]
    return {"title": "The paper's machine, modelled", "facts": [["commit", results["commit"]], ["modelled", text(results)]],
            "sections": [{"title": "Accelerations", "text": text(results), "charts": charts(results), "tables": tables}]}


def steps(programs):
    return sum(len(program.variants) for program in programs if paper.limit(program.paper) is not None)


def nothing_yet(slower):
    return {"slower": slower, "rows": [], "skipped": []}


def run(results, woa, source, programs, data_folder, folder, progress):
    """Adds rows to `results`, of whole variants only, in as many steps of `progress` as steps() answers."""
    axel = Axel(source, folder)
    for program in programs:
        if paper.limit(program.paper) is None:
            results["skipped"].append({"program": program.name, "variant": "all", "reason": "the paper has no such program"})
            continue
        for variant in program.variants:
            progress.step(f"Axel: {program.name} {variant.name}")
            try:
                results["rows"] += list(study(woa, axel, program, variant, data_folder, folder, results["slower"]))
            except (Problem, Refused, OSError, ValueError) as error:
                results["skipped"].append({"program": program.name, "variant": variant.name, "reason": str(error)})
