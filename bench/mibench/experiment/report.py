"""The page of the experiment: what tools/report draws."""
import axel
import bars
import paper
import tables
from plans import MODELS, PLACEMENTS
from tables import time_text

SENT = ("messages", "payload_bytes")


def groups(results):
    """(program, variant) in the order of the results."""
    return list(dict.fromkeys((row["program"], row["variant"]) for row in results["runs"]))


def value_of(results, coupling, where, model, key, name):
    for row in results["runs"]:
        if (row["coupling"], row["where"], row["model"], (row["program"], row["variant"])) == (coupling, where, model, key):
            return row[name]
    return None


def accelerations(results, coupling, where):
    keys = groups(results)
    limits = {key: next((row["amdahl_limit"] for row in results["runs"] if (row["program"], row["variant"]) == key), None) for key in keys}
    series = [{"name": model, "values": [value_of(results, coupling, where, model, key, "acceleration") for key in keys]}
              for model in MODELS]
    marks = [("Amdahl's limit", [limits[key] for key in keys], "line"),
             ("paper: Amdahl's limit", [paper.limit(program) for program, _ in keys], "cross"),
             ("paper: WOA", [paper.woa(program, coupling) for program, _ in keys], "star"),
             ("paper: RPC", [paper.rpc(program, coupling) for program, _ in keys], "triangle")]
    series += [{"name": name, "values": values, "mark": mark} for name, values, mark in marks]
    return {"kind": "bars", "title": f"Acceleration over the CPU alone: {coupling}, {PLACEMENTS[where]}", "unit": "times the CPU alone",
            "log": True, "labels": [" ".join(key) for key in keys], "series": series}


def sent(results, coupling, where, name):
    keys = groups(results)
    title = {"messages": "Messages", "payload_bytes": "Payload that crosses"}[name]
    return {"kind": "bars", "title": f"{title} of an instance: {coupling}, {PLACEMENTS[where]}",
            "unit": {"messages": "messages", "payload_bytes": "bytes"}[name], "log": True, "labels": [" ".join(key) for key in keys],
            "series": [{"name": model, "values": [value_of(results, coupling, where, model, key, name) or None for key in keys]}
                       for model in MODELS]}


def predicted_chart(results, coupling):
    points = {model: [[row["time_s"], row["predicted_time_s"], f"{row['program']} {row['variant']} {row['where']}"]
                      for row in results["runs"] if row["coupling"] == coupling and row["model"] == model and row["time_s"]]
              for model in MODELS}
    return {"kind": "points", "title": f"Predicted against measured time: {coupling}", "unit": "predicted, s", "x_unit": "measured, s",
            "log": True, "diagonal": True, "series": [{"name": model, "colour": MODELS.index(model), "points": values} for model, values in points.items() if values]}


def grain_chart(results, coupling, where):
    grains = {(entry["program"], entry["variant"]): entry.get("grain_us") for entry in results["programs"]}
    points = {model: sorted([grains.get((row["program"], row["variant"])), row["acceleration"], f"{row['program']} {row['variant']}"]
                            for row in results["runs"] if (row["coupling"], row["where"], row["model"]) == (coupling, where, model)
                            and row["acceleration"] and grains.get((row["program"], row["variant"])))
              for model in MODELS}
    return {"kind": "points", "title": f"Acceleration over grain: {coupling}, {PLACEMENTS[where]}", "unit": "times the CPU alone",
            "x_unit": "mean kernel time of a firing, us", "log": True,
            "series": [{"name": model, "colour": MODELS.index(model), "points": values} for model, values in points.items() if values]}


def has_values(chart):
    return any(series.get("points") or any(value for value in series.get("values", []) if "mark" not in series)
               for series in chart["series"])


def facts(results):
    machine = results["machine"]
    pinned = ", ".join(f"{name} on {number}" for name, number in machine["pinned"].items())
    found = [["commit", results["commit"]], ["processor", f"{machine['processor']}, {len(machine['usable'])} usable"],
             ["pinned", pinned or machine["pinning"]], ["note", machine["pinning"] if pinned else ""],
             ["load at the start", " ".join(f"{value:.2f}" for value in machine["load"])],
             ["versions", ", ".join(f"{name} {version}" for name, version in results["versions"].items() if version)],
             ["took", time_text(results.get("elapsed_s"))]]
    found += [[coupling["name"], "; ".join([coupling["what"], *coupling["notes"]])] for coupling in results["couplings"]]
    if any(row["predicted_time_s"] for row in results["runs"]):
        found.append(["predictions", f"messages and bytes: {bars.counts(results)['found']}; times: {bars.predicted(results)['found']}"])
    return [[name, value] for name, value in found if value]


def table(title, columns, rows):
    return {"title": title, "columns": list(columns), "rows": rows}


def document(results):
    """The report that tools/report/page.html shows (its fields are in tools/report/page.js)."""
    couplings = [coupling["name"] for coupling in results["couplings"]]
    wheres = [where for where in PLACEMENTS if where != "pair" and any(row["where"] == where for row in results["runs"])]  # one bar is no chart
    shown = [(coupling, where) for coupling in couplings for where in wheres]
    parts = [("Accelerations", "Bars: measured here. Marks: Amdahl's limit of the program, and the paper's own numbers, which are of "
              "another machine and of a model.", [accelerations(results, *pair) for pair in shown]),
             ("Messages and bytes", "The counts do not depend on the coupling.",
              [sent(results, couplings[0], where, name) for where in wheres for name in SENT]),
             ("Predicted and measured", "Points on the line were predicted right.", [predicted_chart(results, one) for one in couplings]),
             ("Grain", "Each point is a variant of a program.", [grain_chart(results, *pair) for pair in shown])]
    sections = [{"title": title, "text": text, "charts": [chart for chart in charts if has_values(chart)], "tables": []}
                for title, text, charts in parts if any(map(has_values, charts))]
    sections.append({"title": "Tables", "text": "", "charts": [], "tables": [table(*one) for one in tables.all_tables(results)]})
    if results.get("axel"):
        sections.insert(-1, {"title": "The paper's machine, modelled", "text": axel.text(results["axel"]), "charts": axel.charts(results["axel"]), "tables": []})
    return {"title": "WOA against RPC: MiBench", "verdict": bars.verdict(results), "facts": facts(results), "sections": sections}
