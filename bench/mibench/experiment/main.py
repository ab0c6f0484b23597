"""woa-mibench: the programs of the WOA paper under WOA and RPC."""
import argparse
import json
import os
import pathlib
import signal
import sys
import time

try:
    import yaml  # noqa: F401  (what follows needs it)
except ImportError:
    sys.exit("woa-mibench: error: no PyYAML; install python3-yaml (tools/install-packages.sh does)")

import axel
import bars
import data
import links
import machine
import network
import programs
import report
import tables
from belongings import Belongings
from experiment import Setting, run_unit, skip, units, weights
from plans import MODELS, PLACEMENTS
from progress import Progress
from programs import Problem
from woa import Refused, Woa

SOURCE = pathlib.Path(os.environ["WOA_MIBENCH_SOURCE"])
BUILD = pathlib.Path(os.environ["WOA_MIBENCH_BUILD"])
sys.path.insert(0, str(SOURCE / "tools" / "report"))
import page  # noqa: E402  (the folder is known only now)

EXAMPLES = """examples:
  woa-mibench run                                     everything: table, mibench.json, .csv and .html
  woa-mibench run --programs sha,dijkstra --repeat 5
  woa-mibench run --couplings tight --variants coarse,fine
  woa-mibench run --net 10gbit,5us --data MIBENCH     another network; your own copy of MiBench
  woa-mibench report build/mibench/results/mibench.json

docs/mibench.md says how to read the figures."""


SLOWER = 4.0  # Axel's CPU


def names(text):
    return [name for name in text.split(",") if name]


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(f"{message}; see `{self.prog} --help`")


def add_shared(command):
    """Options of both `run` and `axel`."""
    command.add_argument("--programs", type=names, default=[], metavar="NAME,...", help="only these; default: all")
    command.add_argument("--data", type=pathlib.Path, metavar="DIR", help="inputs and golden outputs, or a copy of MiBench; default: "
                         "WOA_MIBENCH_DATA, shared/mibench beside the sources, or generated data")
    command.add_argument("--from", dest="folders", type=pathlib.Path, action="append", metavar="DIR", help="folder of program.yaml files")
    command.add_argument("--out", type=pathlib.Path, default=BUILD / "mibench" / "results", metavar="DIR", help="default: %(default)s")
    command.add_argument("--json", action="store_true", help="print the JSON on stdout, and no tables")


def add_run(commands):
    run = commands.add_parser("run", help="measure, and write the table, JSON, CSV and page", epilog=EXAMPLES,
                              formatter_class=argparse.RawDescriptionHelpFormatter)
    add_shared(run)
    run.add_argument("--variants", type=names, default=["fine", "coarse"], metavar="NAME,...",
                     help="grains; `all` for every one that a program has; default: fine,coarse")
    run.add_argument("--models", type=names, default=list(MODELS), metavar="NAME,...", help=f"default: {','.join(MODELS)}")
    run.add_argument("--couplings", type=names, default=["tight", "loose"], metavar="NAME,...",
                     help="tight, loose (shaped by --net), unshaped (the wire as it is); default: tight,loose")
    run.add_argument("--placements", type=names, default=[], metavar="NAME,...",
                     help="; ".join(f"{name}: {what}" for name, what in PLACEMENTS.items()) + "; default: all")
    run.add_argument("--net", default="1gbit,25us", metavar="RATE,DELAY", help="network of `loose`, as tc writes it; default: 1gbit,25us")
    run.add_argument("--repeat", type=int, default=3, metavar="N", help="repetitions; default: 3")
    run.add_argument("--seed", type=int, default=1, metavar="N", help="of the order of contenders; default: 1")
    run.add_argument("--machine", type=pathlib.Path, metavar="FILE", help="file that `woa calibrate` wrote; default: calibrates now")
    run.add_argument("--devices", action="store_true", help="stages may also run on the accelerators here; simulated ones are labelled")
    run.add_argument("--no-axel", dest="axel", action="store_false", help="leave the study of the paper's machine out")
    run.set_defaults(action=run_command)


def parser():
    top = Parser(prog="woa-mibench", description="Six MiBench programs as task graphs: WOA against RPC, predicted "
                                  "and measured, tightly and loosely coupled.", epilog=EXAMPLES,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    add_run(commands)
    study = commands.add_parser("axel", help="the paper's machine, by model only: accelerations beside the published ones")
    add_shared(study)
    study.add_argument("--slower", type=float, default=SLOWER, metavar="X", help="how much longer Axel's CPU takes than this one; default: %(default)g")
    study.set_defaults(action=axel_command)
    again = commands.add_parser("report", help="write CSV and page again from a mibench.json")
    again.add_argument("json", type=pathlib.Path)
    again.add_argument("--out", type=pathlib.Path, metavar="DIR", help="default: the folder of the JSON")
    again.set_defaults(action=report_command)
    return top


def check(options):
    options.placements = options.placements or [name for name in PLACEMENTS if name != "device" or options.devices]
    if "device" in options.placements and not options.devices:
        raise Problem("--placements: `device` needs --devices")
    for chosen, known, name in ((options.models, MODELS, "--models"), (options.placements, PLACEMENTS, "--placements"),
                                (options.couplings, ("tight", "loose", "unshaped"), "--couplings")):
        unknown = [one for one in chosen if one not in known]
        if unknown or not chosen:
            raise Problem(f"{name}: '{','.join(unknown)}' is none of {', '.join(known)}")
    if options.repeat < 1:
        raise Problem(f"--repeat: {options.repeat} is too few; 1 at least")
    return network.parse_net(options.net)


def check_folders(options):
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / ".writable").touch()
        (options.out / ".writable").unlink()
    except OSError as error:
        raise Problem(f"--out: {options.out} cannot be written: {error.strerror}") from error
    if not (BUILD / "woa").exists():
        raise Problem(f"{BUILD / 'woa'} is not built: make build")


def choose(options):
    """The programs; `options.data` becomes the folder of their data."""
    check_folders(options)
    chosen = programs.load(options.folders or [SOURCE / "bench" / "mibench"], options.programs)
    if options.data:
        data.check_folder(options.data, chosen)
    else:
        options.data = data.default_folder(SOURCE)
    return chosen


def join_couplings(options, shape, belongings):
    make = {"tight": network.tight, "loose": lambda: network.loose("loose", shape, belongings),
            "unshaped": lambda: network.loose("unshaped", None, belongings)}
    return [make[name]() for name in options.couplings]


def set_up(options, shape, belongings, results):
    """Everything that programs share; the machine's links are measured here."""
    woa = Woa(BUILD, belongings)
    chosen, note = machine.cores()
    results.update(machine.describe(SOURCE, woa, chosen, note))
    couplings = join_couplings(options, shape, belongings)
    if not options.machine:
        print("woa-mibench: calibrating this machine", file=sys.stderr, flush=True)
    try:
        calibrated = machine.calibrate(woa, belongings.folder / "calibrated.yaml", options.machine)
    except Refused as refused:  # the programs run all the same
        calibrated = machine.with_controllers({"woa_machine": 1})
        reason = f"calibration: {refused}; predictions do not know what a firing takes"
        skip(results, reason)
    kinds = ["cpu"]
    if options.devices:
        results["devices"] = machine.add_devices(calibrated, woa)
        kinds += ["gpu", "fpga"]
    machines = links.Machines(woa, calibrated, options.machine, belongings.folder, options.out)
    state = machine.host_state(woa)
    for coupling in list(couplings):
        try:
            machines.file(coupling, state, machine.first_set(options.placements))
        except Refused as refused:
            couplings.remove(coupling)
            skip(results, str(refused), coupling=coupling.name)
    results["couplings"] = [coupling.as_json() for coupling in couplings]
    return Setting(woa, BUILD, belongings, couplings, machines, tuple(kinds), options.data, options.repeat, options.seed,
                   tuple(options.placements), tuple(options.models))


def write(results, folder):
    (folder / "mibench.json").write_text(json.dumps(results, indent=1) + "\n")
    tables.write_csv(results, folder / "mibench.csv")
    (folder / "mibench.html").write_text(page.render(report.document(results), BUILD / "report" / "page.html"))


def measure(options, shape, chosen, results):
    with Belongings() as belongings:
        setting = set_up(options, shape, belongings, results)
        wanted = [] if options.variants == ["all"] else options.variants
        todo = list(units(setting, chosen, wanted, results))
        progress = Progress(weights(len(todo), setting.couplings) + [1] * (axel.steps(chosen) if options.axel else 0))
        for unit in todo:
            run_unit(unit, setting.couplings, progress)
        if options.axel and axel.steps(chosen):
            results["axel"] = axel.nothing_yet(SLOWER)
            axel.run(results["axel"], setting.woa, SOURCE, chosen, options.data, belongings.folder, progress)


def went_wrong(row):
    """rpc-nested alone may refuse: it has no loops, choices, merges and scatters."""
    return row["correct"] is False or row["status"] == "failed" or (row["status"] == "refused" and row["model"] != "rpc-nested")


def carry_out(results, work, *arguments):
    """The exit code of `work`. After an interruption the results stay."""
    began, code = time.monotonic(), 0
    try:
        work(*arguments)
    except Interrupted as interrupted:
        results["interrupted"], code = str(interrupted), interrupted.code
    results["elapsed_s"] = time.monotonic() - began
    return code


def show(options, results, shown, wrote):
    if options.json:
        print(json.dumps(results, indent=1))
    else:
        for one in shown:
            print(tables.aligned(*one))
    ended = f"ended by {results['interrupted']}" if results["interrupted"] else "done"
    print(f"woa-mibench: {ended} after {results['elapsed_s']:.0f} s; wrote {wrote} in {options.out}", file=sys.stderr)


def run_command(options):
    shape = check(options)
    chosen = choose(options)
    results = {"machine": {"pinned": {}, "usable": [], "processor": "", "pinning": "", "load": []}, "commit": "", "versions": {},
               "options": {"repeat": options.repeat, "seed": options.seed, "net": options.net, "data": str(options.data)},
               "couplings": [], "programs": [], "runs": [], "throughput": [], "skipped": [], "axel": None, "interrupted": None, "faults": 0}
    code = carry_out(results, measure, options, shape, chosen, results)
    results["bars"] = bars.judge(results) + (axel.judge(results["axel"]["rows"]) if results["axel"] else [])
    write(results, options.out)
    show(options, results, tables.all_tables(results), "mibench.json, .csv and .html")
    wrong = (results["faults"] or not results["runs"] or any(map(went_wrong, results["runs"]))
             or any(map(bars.wrong_alone, results["programs"])))
    return code or (1 if wrong else 0)


def model(options, chosen, results):
    with Belongings() as belongings:
        woa = Woa(BUILD, belongings)
        results["commit"] = machine.describe(SOURCE, woa, {}, "")["commit"]
        axel.run(results, woa, SOURCE, chosen, options.data, belongings.folder, Progress([1] * axel.steps(chosen)))


def axel_command(options):
    if options.slower <= 0:
        raise Problem(f"--slower: {options.slower} is not above 0")
    chosen = choose(options)
    results = {"commit": "", "interrupted": None, **axel.nothing_yet(options.slower)}
    code = carry_out(results, model, options, chosen, results)
    results["bars"] = axel.judge(results["rows"])
    (options.out / "axel.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "axel.html").write_text(page.render(axel.document(results), BUILD / "report" / "page.html"))
    show(options, results, [bars.table(results), *axel.all_tables(results)], "axel.json and .html")
    return code or (0 if results["rows"] else 1)


def report_command(options):
    try:
        results = json.loads(options.json.read_text())
        write(results, options.out or options.json.parent)
    except (OSError, ValueError, KeyError) as error:
        raise Problem(f"{options.json}: not the JSON of an experiment: {type(error).__name__} {error}") from error
    return 0


class Interrupted(BaseException):
    """SIGINT or SIGTERM; everything is undone on its way up."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.code = 128 + number


def interrupt(number, _):
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_DFL)  # a second one ends it at once
    raise Interrupted(number)


def failed(text, code):
    print(f"woa-mibench: error: {text}", file=sys.stderr)
    if "--json" in sys.argv:
        print(json.dumps({"ok": False, "error": {"message": text}}, indent=1))
    return code


def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    try:
        options = parser().parse_args()
        return options.action(options)
    except Problem as problem:
        return failed(str(problem), 2)
    except Refused as refused:
        return failed(f"woa: {refused}", 1)
    except Interrupted as interrupted:  # before there was a result to keep
        return failed(f"ended by {interrupted}", interrupted.code)


if __name__ == "__main__":
    sys.exit(main())
