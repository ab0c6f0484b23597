#!/usr/bin/env python3
"""Predicted against measured, for every example under every call model: `woa compare --run` on each of them, and what came of it.

    bench/compiler/predictions.py [GRAPH...] [--woa build/woa] [--machine FILE] [--repetitions 9] [--processes one] [--small] [--json]

Without --machine this machine is calibrated first. Let nothing else run meanwhile. Messages and bytes must be what was predicted, or
the exit code is 1. Times are compared where at least 90 % of the critical path is kernels' and no device is simulated; for the others
the reason is printed. What controllers themselves take to fire a kernel is in no prediction, so of small kernels nothing is expected.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

GRAPHS = pathlib.Path(__file__).resolve().parents[2] / "graphs"
FLAGSHIP = "decrypt-expand-resize"
KERNELS_SHARE = 0.9
FIRING_US = 0.4  # a controller's own, by `woa bench hop` (docs/performance-log.md, "the controllers' own code")
MiB = 1 << 20


def log(lines):
    return b"".join(b"line %d is fine\n" % i if i % 7 else b"line %d has an error\n" % i for i in range(lines))


def numbers(kind, values):
    return struct.pack(f"<{len(values)}{kind}", *values)


def array(kind, values):
    """A payload of a type with one variable dimension: the dimension, padded to 64 bytes, then the elements."""
    return struct.pack("<I", len(values)).ljust(64, b"\0") + numbers(kind, values)


def picture(width, height):
    rows = bytes((x * 3 + y * x // 7) % 256 for y in range(height) for x in range(width * 3))
    return subprocess.run(["cjpeg"], input=b"P6\n%d %d\n255\n" % (width, height) + rows, stdout=subprocess.PIPE, check=True).stdout


# Graph -> inputs; several values are one instance each.
EXAMPLES = {
    "accumulate": {"x": [array("q", [7] * 8000)]},
    "branch": {"data": [b"\2" + bytes(MiB - 3), b"\3" + bytes(MiB - 1)]},
    "demo-null": {"packet": [b"a token"]},
    "diamond": {"data": [bytes(MiB)]},
    "fanout": {"data": [bytes(MiB)]},
    "hello": {"text": [bytes(MiB)]},
    "hold": {"x": [array("d", [1.0] * 8000)], "f": [array("d", [float(i + 2) for i in range(8000)])]},
    "loop": {"n": [numbers("q", [500])]},
    "merge": {"data": [b"\2" + bytes(MiB - 3), b"\3" + bytes(MiB - 1)]},
    "nested-loop": {"n": [b"\2" + bytes(999)]},
    "optional": {"log": [log(40000)]},
    "replicas": {"data": [bytes(MiB)]},
    "scatter": {"log": [log(60)]},
    "stateful": {"data": [bytes(60000)]},
    "subgraph": {"data": [b"Bb" * 500]},
}


# Three instances each, so that means of turns, branches and bytes are no whole numbers.
SMALL = {name: {port: [b"\2", b"\3a", b"\2abc"] for port in inputs} for name, inputs in EXAMPLES.items()} | {
    "accumulate": {"x": [array("q", [7] * count) for count in (1, 2, 4)]},
    "hold": {"x": [array("d", [1.0] * count) for count in (1, 2, 4)], "f": [array("d", [2.0] * count) for count in (1, 2, 4)]},
    "loop": {"n": [numbers("q", [turns]) for turns in (1, 2, 4)]},
    "scatter": {"log": [b"a", b"a\n", b"a\nb\n"]},
}


# Two parallel paths, of kernels that take milliseconds.
TWO_SIZES = """woa: 1
graph: two-sizes
inputs: {photo: {type: bytes, max: 16MiB}}
stages:
  decode:       {kernel: jpeg_decode,     in: {jpeg: photo}, on: "cpu:0"}
  large:        {kernel: resize_bilinear, in: {image: decode.image}, params: {width: 1280, height: 960}, on: "cpu:0"}
  small:        {kernel: resize_bilinear, in: {image: decode.image}, params: {width: 640, height: 480}, on: "cpu:1"}
  encode_large: {kernel: png_encode,      in: {image: large.image}, on: "cpu:0"}
  encode_small: {kernel: png_encode,      in: {image: small.image}, on: "cpu:1"}
outputs: {large: encode_large.png, small: encode_small.png}
"""


def is_exact(predicted, measured):
    """True if the instances sent exactly the predicted totals. Both are means per instance, rounded to millionths."""
    instances = measured["instances"]
    return all(round(predicted[key] * instances) == round(measured[key] * instances) for key in ("messages", "payload_bytes"))


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, pathlib.Path(folder)
        self.machine = arguments.machine or self.calibrate()

    def woa(self, *arguments):
        return subprocess.run([self.arguments.woa, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def calibrate(self):
        file = self.folder / "machine.yaml"
        done = self.woa("calibrate", "-o", file)
        if done.returncode != 0:
            sys.exit(done.stderr.decode())
        return file

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def arguments_of(self, name, inputs):
        for port, values in inputs.items():
            for number, value in enumerate(values):
                self.write(f"{name}/{port}/{number}", value)
            yield from ("--in", f"{port}={self.folder / name / port}")

    def compare(self, name, graph, given):
        """Rows of `name`, or one with the reason why there are none; [] if the arguments leave `name` out."""
        if self.arguments.graphs and name not in self.arguments.graphs:
            return []
        done = self.woa("compare", graph, *given, "--machine", self.machine, "--run", "--json", "--repetitions", self.arguments.repetitions,
                        "--processes", self.arguments.processes)
        if not done.stdout:
            sys.exit(f"{name}: {done.stderr.decode()}")
        answer = json.loads(done.stdout)
        if "models" not in answer:
            why = answer["error"]["message"] if "error" in answer else done.stderr.decode()
            return [{"graph": name, "model": "all", "why": why, "failed": done.returncode != 3}]
        return [self.row(name, model) for model in answer["models"]]

    def row(self, name, model):
        row = {"graph": name, "model": model["model"], "failed": "failed" in model, "why": ""}
        for kind in ("cannot_place", "cannot_run", "failed"):
            if kind in model:
                return {**row, "why": model[kind]["message"]}
        measured = model["measured"]
        row["exact"] = is_exact(model, measured)
        row["failed"] = not row["exact"]
        row |= {key: model[key] for key in ("messages", "payload_bytes", "kernel_share", "predicted_us", "measured_us", "error")}
        row["measured"] = measured
        row["why"] = self.why_not(model)
        return row

    def why_not(self, model):
        """Why the measured time may differ from the prediction; empty: it should not."""
        if model["clocked"]:
            return f"{', '.join(model['clocked'])} is simulated: cycles at its clock are predicted, the model is measured"
        if model["kernel_share"] < KERNELS_SHARE:
            return f"kernels are {int(100 * model['kernel_share'])} % of the critical path"
        own = model["firings"] * FIRING_US
        if model["critical_kernels_us"] < KERNELS_SHARE * (model["alone_us"] + own):
            return f"{model['firings']:g} firings take their controllers about {own:.0f} us, which is in no prediction"
        return ""

    def rows(self):
        for name, inputs in (SMALL if self.arguments.small else EXAMPLES).items():
            yield from self.compare(name, GRAPHS / f"{name}.yaml", list(self.arguments_of(name, inputs)))
        if not self.arguments.small:
            yield from self.flagship()

    def flagship(self):
        """The demo's graph as written and on processor cores alone, and the other graphs that take its photo."""
        if shutil.which("cjpeg") is None:
            return
        key = self.write("key.hex", b"00112233445566778899aabbccddeeff" * 2 + b"\n")
        photo, packet = self.write("photo.jpg", picture(1600, 1200)), self.folder / "packet"
        with_key = ["--in", f"plain={photo}", "--param", f"encrypt.key_file={key}"]
        yield from self.compare("encrypt", GRAPHS / "encrypt.yaml", with_key)
        for thumbnails in ("thumbnails", "thumbnails-apart"):
            yield from self.compare(thumbnails, GRAPHS / f"{thumbnails}.yaml", ["--in", f"photo={photo}"])
        yield from self.on_cores("two-sizes", TWO_SIZES, ["--in", f"photo={photo}"])
        if self.woa("run", GRAPHS / "encrypt.yaml", *with_key, "--out", f"packet={packet}").returncode != 0:
            return
        given = ["--in", f"packet={packet}", "--param", f"decrypt.key_file={key}"]
        text = (GRAPHS / f"{FLAGSHIP}.yaml").read_text()
        yield from self.compare(FLAGSHIP, GRAPHS / f"{FLAGSHIP}.yaml", given)
        yield from self.on_cores("flagship", text.replace("on: gpu", 'on: "cpu:1"').replace("on: fpga", 'on: "cpu:0"'), given)

    def on_cores(self, name, text, given):
        """The graph on two cores, and on one."""
        for cores, one in (("two cores", text), ("one core", text.replace('"cpu:1"', '"cpu:0"'))):
            yield from self.compare(f"{name}, {cores}", self.write(f"{name}.yaml", one.encode()), given)


def print_rows(rows):
    print(f"{'GRAPH':22} {'MODEL':10} {'MESSAGES':>9} {'PAYLOAD':>10} {'EXACT':>5} {'KERNELS':>7} {'TIME':>11} {'MEASURED':>11} {'ERROR':>8}")
    for row in rows:
        name = f"{row['graph']:22} {row['model']:10}"
        if "measured" not in row:
            print(f"{name} {'-':>9}   {row['why']}")
            continue
        print(f"{name} {row['messages']:9g} {row['payload_bytes']:10.9g} {'yes' if row['exact'] else 'NO':>5} {int(100 * row['kernel_share']):5} % "
              f"{row['predicted_us']:8.1f} us {row['measured_us']:8.1f} us {100 * row['error']:+6.1f} %" + (f"   {row['why']}" if row["why"] else ""))


def errors_by_graph(rows):
    """The median error over its call models, of each graph that has any."""
    errors = {}
    for row in rows:
        if "error" in row and not row["why"]:
            errors.setdefault(row["graph"], []).append(abs(row["error"]))
    return {graph: statistics.median(all_of_it) for graph, all_of_it in errors.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="*", metavar="GRAPH", help="names of the table's first column; all without any")
    parser.add_argument("--woa", default="build/woa")
    parser.add_argument("--machine")
    parser.add_argument("--repetitions", type=int, default=9, help="at most 9: `stateful` writes the number of its instance, in one digit")
    parser.add_argument("--processes", default="per-controller", choices=["one", "per-controller"])
    parser.add_argument("--small", action="store_true", help="inputs of a few bytes, for messages and bytes alone")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    arguments.woa = os.path.abspath(arguments.woa)
    with tempfile.TemporaryDirectory(prefix="woa-predictions-") as folder:
        rows = list(Bench(arguments, folder).rows())
    if unknown := set(arguments.graphs) - {row["graph"] for row in rows}:
        sys.exit(f"no rows of {', '.join(sorted(unknown))}")
    errors = errors_by_graph(rows)
    median = statistics.median(errors.values()) if errors else None
    if arguments.json:
        print(json.dumps({"rows": rows, "errors": errors, "median_error": median}))
    else:
        print_rows(rows)
        if errors:
            print(f"\nmedian error of the {len(errors)} graphs whose critical path is at least {100 * KERNELS_SHARE:.0f} % kernels': {100 * median:.1f} %")
    return 1 if any(row["failed"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
