"""Every example under graphs/ runs under every call model and process layout, and gives the outputs that plain Python
computes; stages that can be on a gpu or an fpga run there, too."""
import math
import os
import re
import shutil
import struct
import subprocess
import sys

import harness
from harness import SANITIZED, SOURCE, WoaTest, read

sys.path.append(os.path.join(SOURCE, "tools", "demo"))
import reference  # noqa: E402  (it shares no code with the runtime)

INSTANCES = 40
FEW = 12
MODELS = ("woa", "rpc-fused", "rpc-hub", "rpc-nested", "rpc-polled")
# Graphs that a call model refuses (docs/call-models.md).
NO_WAY_BACK = ("rpc-nested",)
REFUSED = {"branch": NO_WAY_BACK, "merge": NO_WAY_BACK, "loop": NO_WAY_BACK, "nested-loop": NO_WAY_BACK, "hold": NO_WAY_BACK,
           "accumulate": NO_WAY_BACK, "subgraph": NO_WAY_BACK, "replicas": NO_WAY_BACK, "scatter": NO_WAY_BACK}
# Tested elsewhere: the demo's own graphs (flagship_test.py, tools/demo.sh).
NOT_HERE = {"decrypt-expand-resize", "demo-null", "encrypt"}


def invert(data):
    return bytes(255 - byte for byte in data)


def dims(data, element):
    """The payload of a type with one variable dimension: its size, padded, then the elements."""
    return struct.pack("<I", len(data) // element).ljust(64, b"\0") + data


def is_odd(data):
    return bool(data) and data[0] % 2 == 1


def nested(data):
    while not is_odd(data):
        data = invert(data)
    return data


def numbers(k):
    return struct.pack("<3q", 1 + k % 9, -k, k * k)


def sums(k):
    turns = math.ceil(100 / (1 + k % 9))
    return struct.pack("<3q", turns * (1 + k % 9), -turns * k, turns * k * k)


def log(k):
    return b"start\n" + (b"error %d\n" % k if k % 3 else b"") + b"end\n"


def lines(k):
    return b"".join(b"%s %d\n" % (b"error" if n % 3 == k % 3 else b"note", n) for n in range(k))


def errors(data):
    return b"".join(line + b"\n" for line in data.split(b"\n") if b"error" in line)


def text(k):
    return bytes((k,)) + b"abc"[:k % 4]


# graph: (inputs by name, outputs by name), each a function of the instance
EXPECTED = {
    "hello": ({"text": text}, {"copy": text}),
    "branch": ({"data": text}, {"result": lambda k: invert(text(k)) if k % 2 else text(k)}),
    "merge": ({"data": text}, {"result": lambda k: text(k) + (invert(text(k)) if k % 2 else text(k))}),
    "diamond": ({"data": text}, {"pair": lambda k: text(k) + invert(text(k))}),
    "fanout": ({"data": text}, {"left": text, "middle": lambda k: invert(text(k)), "right": text}),
    "scatter": ({"log": lines}, {"errors": lambda k: errors(lines(k))}),
    "replicas": ({"data": text}, {"pair": lambda k: invert(text(k)) + text(k)}),
    "loop": ({"n": lambda k: struct.pack("<q", k)}, {"zero": lambda k: struct.pack("<q", 0)}),
    "nested-loop": ({"n": text}, {"result": lambda k: nested(text(k))}),
    "subgraph": ({"data": text}, {"both": lambda k: (text(k) if len(text(k)) % 2 else nested(text(k))) + nested(text(k))}),
    "stateful": ({"data": text}, {"numbered": lambda k: invert(text(k)) + b" %d" % k}),
    # None: absent, no file
    "optional": ({"log": log}, {"error": lambda k: b"error %d" % k if k % 3 else None,
                                "verdict": lambda k: b"error %d" % k if k % 3 else b"all is well"}),
    "accumulate": ({"x": lambda k: dims(numbers(k), 8)}, {"sums": lambda k: dims(sums(k), 8)}),
}


# Works on the elements of a scatter on a gpu or an fpga; no example does that.
PIECES = ("woa: 1\ngraph: pieces\ninputs: {log: {type: bytes, max: 1MiB}}\nstages:\n"
          "  cut:   {kernel: split_lines, in: {data: log}}\n  flip:  {kernel: invert, in: {data: cut.line}}\n"
          "  paste: {kernel: join_lines, in: {lines: flip.data}}\noutputs: {flipped: paste.data}\n")
# A writer to replicas chooses among them, which an fpga does not (docs/adr/0028-replicas-are-stages-of-the-plan.md).
ONLY_ON_FPGA = {"replicas": "back"}


def flipped_lines(data):
    return b"".join(invert(line) + b"\n" for line in data.split(b"\n")[:-1])


def moved(text, kind, only):
    """The graph with all stages that have a variant for that kind of controller pinned to it, or one of them; None if it has none."""
    def pin(stage):
        if only not in (None, stage[1]):
            return stage[0]
        rest = re.sub(r",\s*on:\s*(\"[^\"]*\"|\w+)", "", stage[2])
        return f"  {stage[1]}: {{kernel: {rest}, on: {kind}}}"
    changed = re.sub(r"(?m)^  (\w+):\s*\{kernel: ((?:copy|invert),.*)\}$", pin, text)
    return changed if changed != text else None


class Graphs(WoaTest):
    def files(self, name, value, instances=INSTANCES):
        os.mkdir(self.path(name))
        for k in range(instances):
            self.write(f"{name}/{k:04}", value(k))
        return f"{name}={self.path(name)}"

    def output(self, name, k):
        path = self.path(f"out-{name}-{k}")
        return read(path, "rb") if os.path.exists(path) else None

    def run_everywhere(self, graph, inputs, outputs):
        arguments = []
        for name, value in inputs.items():
            arguments += ["--in", self.files(name, value)]
        for name in outputs:
            arguments += ["--out", f"{name}={self.path('out-' + name)}-%i"]
        layouts = ("one", "per-controller")
        for number, model in enumerate(MODELS):
            if model in REFUSED.get(graph, ()):
                done = self.woa("run", os.path.join(SOURCE, "graphs", graph + ".yaml"), *arguments, "--model", model)
                self.refused(done, 1, "as " + model + ": stage '")
                continue
            for processes in (layouts[number % 2],) if SANITIZED else layouts:
                result = self.run_json(os.path.join(SOURCE, "graphs", graph + ".yaml"), *arguments, "--model", model, "--processes", processes,
                                       "--window", "16")
                self.assertEqual(result["failures"], [])
                for output in result["outputs"]:
                    path = self.path("out-" + output["name"])
                    self.assertEqual(output["absent"], sum(not os.path.exists(f"{path}-{k}") for k in range(INSTANCES)))
                yield model, [{name: self.output(name, k) for name in outputs} for k in range(INSTANCES)]

    def test_what_plain_python_says(self):
        for graph, (inputs, outputs) in EXPECTED.items():
            with self.subTest(graph):
                for model, found in self.run_everywhere(graph, inputs, outputs):
                    for k, values in enumerate(found):
                        for name, value in outputs.items():
                            self.assertEqual(values[name], value(k), (graph, model, name, k))
                for name in inputs:
                    os.rename(self.path(name), self.path(f"{graph}-{name}"))

    def run_on(self, kind, name, text, model, inputs, outputs):
        """The graph's outputs of FEW instances, and the failures; exit code 3 skips the test."""
        folder = f"{kind}-{name}"
        if not os.path.exists(self.path(folder)):
            os.mkdir(self.path(folder))
            for port, value in inputs.items():
                self.files(f"{folder}/{port}", value, FEW)
        arguments = [self.write(f"{folder}/{name}.yaml", text), "--processes", "one", "--window", "8", "--model", model, "--json"]
        for port in inputs:
            arguments += ["--in", f"{port}={self.path(folder)}/{port}"]
        for port in outputs:
            arguments += ["--out", f"{port}={self.path(folder)}/out-{port}-%i"]
        done = self.woa("run", *arguments)
        if done.returncode == 3:
            self.skip({"gpu": "opencl", "fpga": "verilator"}[kind], done.stderr.decode())
        self.assertEqual(done.returncode, 0, (name, kind, model, done.stderr.decode()))
        return {port: [read(self.path(f"{folder}/out-{port}-{k}"), "rb") for k in range(FEW)] for port in outputs}

    def check_on(self, kind):
        graphs = {name: (read(os.path.join(SOURCE, "graphs", name + ".yaml")), *ports) for name, ports in EXPECTED.items()}
        graphs["pieces"] = (PIECES, {"log": lines}, {"flipped": lambda k: flipped_lines(lines(k))})
        ran = set()
        for name, (text, inputs, outputs) in graphs.items():
            graph = moved(text, kind, ONLY_ON_FPGA.get(name) if kind == "fpga" else None)
            refused = REFUSED.get("scatter" if name == "pieces" else name, ())
            for model in () if graph is None else ("woa",) if SANITIZED else MODELS:
                if model in refused:
                    continue
                found = self.run_on(kind, name, graph, model, inputs, outputs)
                for port, value in outputs.items():
                    self.assertEqual(found[port], [value(k) for k in range(FEW)], (name, kind, model))
                ran.add(name)
        self.assertGreaterEqual(ran, {"branch", "diamond", "fanout", "merge", "nested-loop", "pieces", "replicas", "stateful"})

    def test_on_a_gpu(self):
        self.check_on("gpu")

    def test_on_an_fpga(self):
        self.check_on("fpga")

    def test_newtons_iteration_with_a_held_input(self):
        squares = [2.0, 9.0, 1e6]
        guesses = dims(struct.pack("<3d", 1, 1, 1), 8)
        for _, found in self.run_everywhere("hold", {"x": lambda k: guesses, "f": lambda k: dims(struct.pack("<3d", *(s + k for s in squares)), 8)},
                                            {"roots": None}):
            for k, values in enumerate(found):
                roots = struct.unpack("<3d", values["roots"][64:])
                for root, square in zip(roots, squares):
                    self.assertAlmostEqual(root * root, square + k, delta=1e-9 * (square + k))

    def test_thumbnails(self):
        """Each equals the output of djpeg, the demo's reference and cjpeg, one after the other."""
        reason = os.path.join(harness.BUILD, "kernels", "jpeg_encode", "unavailable.txt")
        if os.path.exists(reason) or shutil.which("cjpeg") is None:
            self.skip("jpeg", "needs libjpeg and its programs")
        os.mkdir(self.path("photos"))
        sizes = {"wide": (400, 100, 320, 80), "tall": (30, 90, 80, 240), "fits": (320, 240, 320, 240), "line": (700, 1, 320, 1)}
        for name, (width, height, _, _) in sizes.items():
            ppm = b"P6\n%d %d\n255\n" % (width, height) + bytes((x * 7 + x // 91 * 13) % 256 for x in range(3 * width * height))
            self.write(name + ".ppm", ppm)
            subprocess.run(["cjpeg", "-outfile", self.path(f"photos/{name}.jpg"), self.path(name + ".ppm")], check=True)
        for graph, messages in (("thumbnails", 2), ("thumbnails-apart", 3)):
            result = self.run_json(os.path.join(SOURCE, "graphs", graph + ".yaml"), "--in", f"photo={self.path('photos')}",
                                   "--out", f"thumb={self.path(graph + '-%i.jpg')}")
            self.assertEqual((result["failures"], result["messages"]), ([], messages * len(sizes)))
        for k, name in enumerate(sorted(sizes)):
            _, _, width, height = sizes[name]
            rows = reference.resize(reference.decode_jpeg(self.path(f"photos/{name}.jpg")), width, height)
            self.write("want.ppm", b"P6\n%d %d\n255\n" % (width, height) + b"".join(rows))
            want = subprocess.run(["cjpeg", "-quality", "75", self.path("want.ppm")], check=True, stdout=subprocess.PIPE).stdout
            for graph in ("thumbnails", "thumbnails-apart"):
                self.assertEqual(read(self.path(f"{graph}-{k}.jpg"), "rb"), want, name)

    def test_no_graph_is_left_out(self):
        present = {name[:-5] for name in os.listdir(os.path.join(SOURCE, "graphs")) if name.endswith(".yaml")}
        self.assertEqual(present, set(EXPECTED) | {"hold", "thumbnails", "thumbnails-apart"} | NOT_HERE)


if __name__ == "__main__":
    harness.main()
