"""The project's own bars, judged by the rows of a run."""
import itertools
import statistics

from plans import PLACEMENTS

ORDER = ("woa", "rpc-fused", "rpc-hub", "rpc-polled")  # by messages at one placement
EXPERIMENT_S = 600
GAIN, OF_RAW = 1.4, 0.85  # of woa over rpc-hub, and that gain by the one of raw mailboxes
GAIN_AT = (("dijkstra", "fine"), ("ispell", "fine"))
MEDIAN_ERROR, WORST_ERROR = 0.2, 0.5
OF_BEST = 0.9
PACKET_NS, OF_HOP = 60, 3  # of dijkstra fine: a packet in one controller, and one between two by a raw mailbox
KERNEL_NS, KERNEL_SHARE = 10, 0.15  # that a profile may be off
PLAIN = 1.05  # a kernel's time by that of the plain C loop beside it
# Program, variant, loop of its CPU-only program, and the stages whose kernels that loop calls in turns.
LOOP = ("dijkstra", "fine", "queue and relax", ("queue", "relax"))
SHORT = (LOOP, ("sha", "fine", "block, 64 B a turn", ("block",)))
SHORT_NS = 200  # kernels below it are judged

TITLES = ("what", "bar", "found", "met")


def bar(what, limit, found, met):
    """`met`: None if nothing could be judged."""
    return {"what": what, "bar": limit, "found": found, "met": met}


def name(row):
    return f"{row['program']} {row['variant']} {row['coupling']} {row['where']} {row['model']}"


def wrong_alone(entry):
    """The CPU-only program's output is wrong, so that every acceleration divides by the time of something else."""
    return entry["baseline"] is not None and not entry["baseline"]["correct"]


def outputs(results):
    runs = results["runs"]
    wrong = [f"{entry['program']} {entry['variant']} CPU only" for entry in results["programs"] if wrong_alone(entry)]
    wrong += [name(row) for row in runs if row["correct"] is False or row["status"] == "failed"]
    refused = [name(row) for row in runs if row["status"] == "refused" and row["model"] != "rpc-nested"]
    nested = sum(row["status"] == "refused" for row in runs) - len(refused)
    found = f"{sum(row['correct'] is True for row in runs)} of {len(runs)} right; rpc-nested refuses {nested}"
    found += "".join(f"; {word}: {', '.join(names)}" for word, names in (("wrong", wrong), ("refused", refused)) if names)
    return bar("outputs of all models and couplings", "right; only rpc-nested refuses", found, not wrong and not refused if runs else None)


def same(found, predicted):
    return found is not None and predicted is not None and abs(found - predicted) < 1e-6


def counts(results):
    ran = [row for row in results["runs"] if row["messages"] is not None]
    differ = [name(row) for row in ran if not same(row["messages"], row["predicted_messages"])
              or not same(row["payload_bytes"], row["predicted_payload_bytes"])]
    found = f"{len(ran) - len(differ)} of {len(ran)} runs" + (": not " + ", ".join(differ) if differ else "")
    return bar("messages and bytes", "as predicted", found, not differ if ran else None)


def order(results):
    """At placements that all models share."""
    groups = {}
    for row in results["runs"]:
        if row["messages"] is not None and row["where"] != "optimum":
            groups.setdefault(name(row).rpartition(" ")[0], {})[row["model"]] = row["messages"]
    wrong = []
    for key, messages in groups.items():
        found = [messages[model] for model in ORDER if model in messages]
        if found != sorted(found):
            wrong.append(key)
    found = f"{len(groups) - len(wrong)} of {len(groups)} placements" + (": not " + ", ".join(wrong) if wrong else "")
    return bar("messages at one placement", " <= ".join(ORDER), found, not wrong if groups else None)


def predicted(results):
    """Judges runs in which no two busy controllers share a processor; a state that changed meanwhile has neither prediction."""
    timed = [row for row in results["runs"] if row["time_s"] and row["predicted_time_s"] and not row["modelled"] and not row["simulated"]]
    judged = [row for row in timed if row["busy_share_a_processor"] is False and (row["coupling"] != "tight" or row["host_state"] != "mixed")]
    limit = f"{MEDIAN_ERROR:.0%} off in the median, {WORST_ERROR:.0%} at most"
    what = "predicted against measured time, no two busy controllers on one processor"
    if not judged:
        return bar(what, limit, f"0 of {len(timed)} runs can be judged", None)
    errors = sorted((abs(row["predicted_time_s"] / row["time_s"] - 1), name(row)) for row in judged)
    median, (worst, at) = statistics.median(error for error, _ in errors), errors[-1]
    over = sum(error > WORST_ERROR for error, _ in errors)
    found = f"{median:.0%} in the median, {worst:.0%} at most ({at}), {over} over {WORST_ERROR:.0%}; {len(judged)} of {len(timed)} runs"
    return bar(what, limit, found, median <= MEDIAN_ERROR and worst <= WORST_ERROR)


def gains(results):
    """woa against rpc-hub where both have one placement: measured, and by raw mailboxes on the same routes and processors. Processors
    that busy controllers share are the scheduler's doing, so such a gain is shown and not judged."""
    rows = {(row["program"], row["variant"], row["where"], row["model"]): row for row in results["runs"]
            if row["coupling"] == "tight" and row["time_s"]}
    found = []
    for (program, variant), where in itertools.product(GAIN_AT, PLACEMENTS):
        woa, hub = (rows.get((program, variant, where, model)) for model in ("woa", "rpc-hub"))
        if not woa or not hub or woa["placement"] != hub["placement"] or not woa["raw_s"] or not hub["raw_s"]:
            continue
        gain, raw = hub["time_s"] / woa["time_s"], hub["raw_s"] / woa["raw_s"]
        shared = woa["busy_share_a_processor"] is not False or hub["busy_share_a_processor"] is not False
        found.append(bar(f"woa against rpc-hub, {program} {variant}, placement `{where}`", f"{GAIN} x, and {OF_RAW} of what raw mailboxes give",
                         f"{gain:.2f} x; raw mailboxes {raw:.2f} x: {gain / raw:.2f} of it ({woa['host_state']})"
                         + ("; busy controllers share a processor" if shared else ""),
                         None if shared else gain >= GAIN and gain >= OF_RAW * raw))
    return found


def loop_facts(results, which):
    """`which`, as LOOP: its entry, kernels by stage, the turns, and a turn's kernels called directly; None if that was not measured."""
    program, variant, loop, stages = which
    for entry in results["programs"]:
        called = {one["name"]: one["kernel_s"] for one in (entry["baseline"] or {}).get("loops", [])}
        kernels = {name.split("/")[-1]: one for name, one in entry.get("kernels", {}).items()}
        if (entry["program"], entry["variant"]) == (program, variant) and loop in called and all(stage in kernels for stage in stages):
            turns = kernels[stages[0]]["firings"]
            return entry, kernels, turns, called[loop] / turns
    return None


def beyond_kernels_s(row, entry, kernels, called_s):
    """An instance's time less reading the input and the kernels; those of the loop as they take when called directly."""
    others = sum(one["firings"] * one["time_s"] for name, one in kernels.items() if name not in LOOP[3])
    return row["latency_s"] - entry["source_s"] - others - called_s


def packets(results):
    """The runtime's own time for a packet of LOOP: in one controller, and between two in processes of their own."""
    facts, found = loop_facts(results, LOOP), []
    if not facts:
        return found
    entry, kernels, turns, called_s = facts
    rows = [row for row in results["runs"] if (row["program"], row["variant"], row["coupling"], row["model"]) == (*LOOP[:2], "tight", "woa") and row["latency_s"]]
    alone = next((row for row in rows if len(set(row["placement"].values())) == 1), None)
    if alone:
        ns = beyond_kernels_s(alone, entry, kernels, turns * called_s) / entry["packets"] * 1e9
        found.append(bar("dijkstra fine in one controller: a packet, less kernels", f"{PACKET_NS} ns", f"{ns:.0f} ns at placement `{alone['where']}`", ns <= PACKET_NS))
    pair = next((row for row in rows if row["where"] == "pair" and row["raw_hop_s"]), None)
    if pair:
        ns, raw_ns = beyond_kernels_s(pair, entry, kernels, turns * called_s) / (2 * turns) * 1e9, pair["raw_hop_s"] * 1e9
        found.append(bar("dijkstra fine, queue and relax in two pinned processes: a packet, less kernels", f"{OF_HOP} raw hops",
                         f"{ns:.0f} ns: {ns / raw_ns:.2f} raw hops of {raw_ns:.0f} ns ({pair['host_state']}); the host is not pinned", ns <= OF_HOP * raw_ns))
    return found


def short_kernels(results):
    """The profile's mean time of a firing against that of a direct call. Kernels that take turns are judged together."""
    found = []
    for which in SHORT:
        facts, stages = loop_facts(results, which), which[3]
        if not facts:
            continue
        _, kernels, _, called_s = facts
        profiled_ns, called_ns = sum(kernels[stage]["time_s"] for stage in stages) / len(stages) * 1e9, called_s / len(stages) * 1e9
        if called_ns < SHORT_NS:
            found.append(bar(f"profile of short kernels: {which[0]} {which[1]}, {' and '.join(stages)}", f"{KERNEL_NS} ns or {KERNEL_SHARE:.0%} off direct calls",
                             f"{profiled_ns:.1f} ns, direct {called_ns:.1f} ns a firing",
                             abs(profiled_ns - called_ns) <= max(KERNEL_NS, KERNEL_SHARE * called_ns)))
    return found


def loops(results):
    """(program, loop) -> the kernel's time and the plain loop's."""
    found = {}
    for entry in results["programs"]:
        for one in (entry["baseline"] or {}).get("loops", []):
            found.setdefault((entry["program"], one["name"]), (one["kernel_s"], one["plain_s"]))
    return found


def like_plain(kernel_s, plain_s):
    return kernel_s <= PLAIN * plain_s


def plain(results):
    found = loops(results)
    slower = [f"{program} {name} {kernel_s / plain_s:.2f} x" for (program, name), (kernel_s, plain_s) in found.items() if not like_plain(kernel_s, plain_s)]
    return bar("kernels beside plain C loops", f"at most {PLAIN} x", f"{len(found) - len(slower)} of {len(found)}" + (": not " + ", ".join(slower) if slower else ""),
               not slower if found else None)


def placed_for_throughput(results):
    rates = {}
    for row in results["throughput"]:
        if (row["program"], row["variant"], row["model"]) == ("dijkstra", "fine", "woa") and row["throughput_per_s"]:
            rates[row["where"]] = row["throughput_per_s"]
    if "optimum" not in rates or len(rates) < 2:
        return []
    best = max(rates, key=rates.get)
    share = rates["optimum"] / rates[best]
    found = f"{share:.2f} of `{best}`; " + ", ".join(f"{where} {rate:.0f}/s" for where, rate in rates.items())
    return [bar("placement chosen for throughput, dijkstra fine", f"{OF_BEST} of the best that is measured", found, share >= OF_BEST)]


def took(results):
    seconds = results.get("elapsed_s")
    return bar("the experiment", f"{EXPERIMENT_S / 60:.0f} min with defaults", f"{seconds / 60:.1f} min", seconds <= EXPERIMENT_S) if seconds else None


def judge(results):
    found = [outputs(results), counts(results), order(results), plain(results), *packets(results), *short_kernels(results), predicted(results), *gains(results),
             *placed_for_throughput(results), took(results)]
    return [one for one in found if one]


def verdict(results):
    """One sentence; empty if nothing was judged."""
    judged = results.get("bars", [])
    met, missed, open_ones = ([one["what"] for one in judged if one["met"] is value] for value in (True, False, None))
    parts = [f"{len(met)} of {len(judged)} bars are met", missed and f"not met: {', '.join(missed)}",
             open_ones and f"not judged: {', '.join(open_ones)}"]
    return "; ".join(filter(None, parts)) + "." if judged else ""


def table(results):
    words = {True: "yes", False: "NO", None: "-"}
    return "bars", TITLES, [[one["what"], one["bar"], one["found"], words[one["met"]]] for one in results.get("bars", [])]
