"""The results as tables: on the terminal, in the page, and as CSV."""
import csv

import axel
import bars

COLUMNS = ("program", "variant", "coupling", "where", "model", "correct", "messages", "predicted_messages", "payload_bytes",
           "predicted_payload_bytes", "time_s", "predicted_time_s", "modelled_time_s", "min_s", "max_s", "acceleration", "amdahl_limit", "modelled",
           "simulated", "status", "launches", "instances", "host_state", "busy", "busy_share_a_processor", "raw_s", "placement", "reason")


def number(value, digits=4):
    if value is None:
        return "-"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.{digits}g}"


def time_text(seconds):
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def bytes_text(count):
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= scale:
            return f"{number(count / scale)} {unit}"
    return f"{number(count)} B"


def ratio(value):
    return "-" if value is None else f"{value:.3f} x" if value < 10 else f"{value:.1f} x"


def yes(value):
    return {True: "yes", False: "NO", None: "-"}[value]


def counted(found, predicted, text=number):
    """The number that was sent; with the prediction if that differs."""
    if found is None or predicted is None or abs(found - predicted) < 1e-6:
        known = predicted if found is None else found
        return "-" if known is None else text(known)
    return f"{text(found)} (predicted {text(predicted)})"


def label(row):
    return "modelled" if row["modelled"] else "simulated device" if row["simulated"] else ""


RUN_TITLES = ("where", "model", "right", "messages", "bytes", "time", "predicted", "modelled", "least", "most", "accel.", "status")


def run_cells(row):
    if row["reason"]:  # refused or failed
        return [row["where"], row["model"], "-", counted(None, row["predicted_messages"]), *["-"] * (len(RUN_TITLES) - 5),
                f"{row['status']}: {row['reason']}"]
    return [row["where"], row["model"], yes(row["correct"]), counted(row["messages"], row["predicted_messages"]),
            counted(row["payload_bytes"], row["predicted_payload_bytes"], bytes_text), time_text(row["time_s"]), time_text(row["predicted_time_s"]),
            time_text(row["modelled_time_s"]), time_text(row["min_s"]), time_text(row["max_s"]), ratio(row["acceleration"]),
            "; ".join(filter(None, [row["status"], label(row), row.get("note")]))]


def heading(results, program, variant, coupling):
    entry = next((one for one in results["programs"] if (one["program"], one["variant"]) == (program, variant)), None)
    baseline = entry and entry["baseline"]
    if not baseline:
        return f"{program} {variant}, {coupling}: no CPU-only time"
    share = baseline["input_output_s"]
    inside = f", input and output {time_text(share)}" if share is not None else ""
    wrong = "" if baseline["correct"] else " (WRONG OUTPUT)"
    return (f"{program} {variant}, {coupling}: CPU only {time_text(baseline['time_s'])}{wrong}{inside}, "
            f"Amdahl's limit {ratio(baseline['amdahl_limit'])}")


def key_of(row):
    return row["program"], row["variant"], row["coupling"]


def run_tables(results):
    """(title, column titles, rows) for each program, variant and coupling. Placements that were left out have a row with the reason."""
    groups = {}
    for row in results["runs"]:
        groups.setdefault(key_of(row), []).append(row)
    return [(heading(results, *key), RUN_TITLES, [*map(run_cells, rows), *(left_out_cells(one) for one in results["skipped"] if key_of(one) == key)])
            for key, rows in groups.items()]


def left_out_cells(skipped):
    return [skipped["where"] or "all", "all", *["-"] * (len(RUN_TITLES) - 3), f"left out: {skipped['reason']}"]


LOOP_TITLES = ("program", "loop", "kernel", "plain C", "kernel by plain", "met")


def loop_table(results):
    rows = [[program, name, time_text(kernel_s), time_text(plain_s), ratio(kernel_s / plain_s), yes(bars.like_plain(kernel_s, plain_s))]
            for (program, name), (kernel_s, plain_s) in bars.loops(results).items()]
    return "hot loops of the CPU-only programs, by kernels and by plain C", LOOP_TITLES, rows


THROUGHPUT_TITLES = ("program", "variant", "where", "model", "window", "right", "instances/s", "predicted", "placement", "status")


def throughput_table(results):
    rows = [[row["program"], row["variant"], row["where"], row["model"], str(row["window"]), yes(row["correct"]), number(row["throughput_per_s"]),
             number(row["predicted_per_s"]), places(row["placement"]),
             row["status"] + (f": {row['reason']}" if row["reason"] else "")] for row in results["throughput"]]
    return "many instances at once, placed for throughput", THROUGHPUT_TITLES, rows


def places(placement):
    """Controllers and the number of their stages."""
    if not placement:
        return "-"
    used = {}
    for controller in placement.values():
        used[controller] = used.get(controller, 0) + 1
    return ", ".join(f"{name}: {count}" for name, count in sorted(used.items()))


PROBE_TITLES = ("program", "variant", "coupling", "processors", "mailbox", "controller to controller")


def probe_table(results):
    rows = [[entry["program"], entry["variant"], one["coupling"], one.get("host_state") or one["reason"], probed(one, "mailbox_ns"),
             probed(one, "hop_ns")] for entry in results["programs"] for one in entry["probes"]]
    return "raw mailbox before and after, a hop of 64 bytes", PROBE_TITLES, rows


def probed(probe, name):
    return time_text(probe[name] * 1e-9) if probe.get(name) else "-"


SKIPPED_TITLES = ("program", "variant", "coupling", "where", "reason")


def skipped_table(results):
    shown = set(map(key_of, results["runs"]))  # run_tables() has theirs
    rows = [[row[name] or "all" for name in SKIPPED_TITLES[:4]] + [row["reason"]] for row in results["skipped"] if key_of(row) not in shown]
    rows += [[entry["program"], entry["variant"], "all", "CPU only", entry["baseline_absent"]] for entry in results["programs"]
             if entry["baseline_absent"]]
    rows += [[entry["program"], entry["variant"], "all", f"{one['stage']} on {one['kind']}", one["reason"]]
             for entry in results["programs"] for one in entry.get("unmeasured", []) if "has no variant" not in one["reason"]]
    return "left out", SKIPPED_TITLES, rows


def coupling_table(results):
    rows = [[coupling["name"], text] for coupling in results["couplings"] for text in (coupling["what"], *coupling["notes"])]
    return "couplings", ("coupling", "what"), rows


def without_empty(columns, rows):
    """`columns` and `rows` without the columns that have no value, such as MODELLED if no hardware is simulated."""
    kept = [k for k in range(len(columns)) if any(row[k] != "-" for row in rows)]
    return [columns[k] for k in kept], [[row[k] for k in kept] for row in rows]


def aligned(title, columns, rows):
    """The last column is free text and may be long."""
    cells = [[column.upper() for column in columns], *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
    return "\n".join([title, *("  " + line for line in lines), ""])


def all_tables(results):
    """The bars stand first: they are the verdict."""
    found = [bars.table(results), *run_tables(results), throughput_table(results), loop_table(results), probe_table(results), skipped_table(results), coupling_table(results)]
    found += axel.all_tables(results["axel"]) if results.get("axel") else []
    return [(title, *without_empty(columns, rows)) for title, columns, rows in found if rows]


def write_csv(results, file):
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        for row in results["runs"]:
            flat = dict(row, placement=" ".join(f"{stage}={where}" for stage, where in (row["placement"] or {}).items()),
                        busy=" ".join(row.get("busy", [])))
            writer.writerow(["" if flat.get(name) is None else flat[name] for name in COLUMNS])
