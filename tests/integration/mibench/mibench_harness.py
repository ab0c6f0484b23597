"""Runs the programs of MiBench as task graphs and as CPU-only programs; standard library only.

Data: the folder WOA_MIBENCH_DATA (default: ../shared/mibench beside the sources) when it is there, else a test's own.
"""
import json
import os
import random
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(FOLDER), "commands"))

import harness  # noqa: E402
from harness import BUILD, SANITIZED, SOURCE, WoaTest, main, read  # noqa: E402,F401

DATA = os.environ.get("WOA_MIBENCH_DATA") or os.path.join(os.path.dirname(SOURCE), "shared", "mibench")
KERNELS = os.path.join(BUILD, "mibench", "kernels")
MODELS = ("woa", "rpc-fused", "rpc-hub", "rpc-polled")
TRANSPORTS = {"loopback": ("--processes", "one"), "shm": (), "ofi": ("--transport", "ofi")}
WINDOWS = (1, 16)
if SANITIZED:  # for the kernels; other tests have what runs them under sanitizers
    MODELS, TRANSPORTS, WINDOWS = ("woa",), {"loopback": TRANSPORTS["loopback"]}, (16,)
SEED = 20261127  # of placements and of generated data; printed with each failure

# A stage as the graphs of this folder write it: one line, at the first level.
STAGE = re.compile(r"^  ([A-Za-z_][\w-]*): +\{(?=(?:kernel|graph):)", re.MULTILINE)


def shared(name):
    """The path of a file of the data folder, or None without it."""
    path = os.path.join(DATA, name)
    return path if os.path.exists(path) else None


def golden(*names):
    """The bytes of these files of the data folder, or None where one is missing; prints which data a test then uses."""
    paths = [shared(name) for name in names]
    print("data: %s" % (", ".join(names) + " of WOA_MIBENCH_DATA" if all(paths) else "the test's own, without WOA_MIBENCH_DATA"), flush=True)
    return [read(path, "rb") for path in paths] if all(paths) else None


class ProgramTest(WoaTest):
    program = None  # the name of its folder below bench/mibench
    device = {}  # the environment in which runs find a device

    def need_kernels(self, *names):
        """Skips where a kernel was built without its library."""
        for name in names:
            reason = os.path.join(KERNELS, name, "unavailable.txt")
            if os.path.exists(reason):
                self.skip(name.split("_")[0], read(reason).strip())

    def graph(self, name):
        return os.path.join(SOURCE, "bench", "mibench", self.program, name + ".yaml")

    def placed(self, name, places):
        """A copy of the graph with `places`: {stage: controller}, for the stages of its first level."""
        text = read(self.graph(name))
        text = re.sub(r"(?m)^includes: \[(.*)\]", lambda m: "includes: [%s]" % ", ".join(
            os.path.join(os.path.dirname(self.graph(name)), path.strip()) for path in m.group(1).split(",")), text)
        found = set(STAGE.findall(text))
        self.assertLessEqual(set(places), found)
        text = STAGE.sub(lambda m: m.group(0) + ('on: "%s", ' % places[m.group(1)] if m.group(1) in places else ""), text)
        return self.write("-".join([name, *map(str, places.values())]).replace(":", "") + ".yaml", text)

    def with_outputs(self, name, outputs):
        """A copy of the graph with more outputs: {output: STAGE.PORT}."""
        text = read(self.graph(name))
        more = "".join(", %s: %s" % pair for pair in outputs.items())
        return self.write(name + "-outputs.yaml", re.sub(r"(?m)^(outputs: \{.*)\}$", lambda m: m.group(1) + more + "}", text))

    def arrays(self, graph, inputs, names, *options):
        """The bytes of outputs of array type, without their header of 64 bytes."""
        arguments = [part for name, file in inputs.items() for part in ("--in", name + "=" + file)]
        arguments += [part for name in names for part in ("--out", "%s=%s" % (name, self.path(name)))]
        done = self.woa("run", graph, *arguments, *options, environment=self.kernels())
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return [read(self.path(name), "rb")[64:] for name in names]

    def random_places(self, name, count, controllers=3):
        """`count` placements of the graph's stages on cpu controllers, the same in every run."""
        stages = STAGE.findall(read(self.graph(name)))
        drawn = random.Random("%s %s %d" % (self.program, name, SEED))
        return [{stage: "cpu:%d" % drawn.randrange(controllers) for stage in stages} for _ in range(count)]

    def kernels(self):
        return {"WOA_KERNEL_PATH": os.pathsep.join([KERNELS, os.path.join(BUILD, "kernels")])} | self.device

    def start(self, graph, inputs, out, *options):
        """`woa run`: inputs {NAME: path}, out: the name of the output, whose bytes go to the file `out`."""
        path = self.path("out")
        if os.path.exists(path):
            os.remove(path)
        arguments = [part for name, file in inputs.items() for part in ("--in", name + "=" + file)]
        return self.woa("run", graph, *arguments, "--out", out + "=" + path, "--json", *options, environment=self.kernels())

    def outcome(self, graph, inputs, out, *options):
        """(the output's bytes, the JSON object) of a run that succeeds."""
        done = self.start(graph, inputs, out, *options)
        if done.returncode != 0:
            self.skip_without_libraries(done.returncode, done.stderr.decode(errors="replace"))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return read(self.path("out"), "rb"), json.loads(done.stdout)

    def check(self, graph, inputs, out, expected, *options, instances=1):
        """A run whose output is `expected`, once per instance; returns its JSON object."""
        data, report = self.outcome(graph, inputs, out, "--instances", str(instances), *options)
        self.same(data, expected * instances)
        return report

    def same(self, data, expected):
        if data == expected:
            return
        at = next((k for k, (a, b) in enumerate(zip(data, expected)) if a != b), min(len(data), len(expected)))
        near = slice(max(0, at - 40), at + 40)
        self.fail("byte %d of %d (expected %d) differs: %r instead of %r" % (at, len(data), len(expected), data[near], expected[near]))

    def check_models(self, name, inputs, out, expected, *options, instances=3):
        """Every call model, each with window 1 and 16. `instances`: of the runs with window 16."""
        for model in MODELS:
            for window in WINDOWS:
                with self.subTest(graph=name, model=model, window=window):
                    self.check(self.graph(name), inputs, out, expected, "--model", model, "--window", str(window), *options,
                               instances=instances if window > 1 else min(instances, 3))

    def check_placements(self, name, inputs, out, expected, *options, count=2):
        """Random placements, each under every call model; the stages of one controller in two processes come first."""
        if SANITIZED:
            self.skipTest("a kernel does the same wherever it is placed")
        stages = STAGE.findall(read(self.graph(name)))
        for places in [{stage: "cpu:0" for stage in stages}, *self.random_places(name, count)]:
            graph = self.placed(name, places)
            for model in MODELS:
                with self.subTest(graph=name, places=places, model=model, seed=SEED):
                    self.check(graph, inputs, out, expected, "--model", model, *options)

    def check_transports(self, name, inputs, out, expected, *options, models=("woa", "rpc-hub"), transports=TRANSPORTS):
        """Each transport carries messages, and no other one does."""
        for model in [each for each in models if each in MODELS]:
            for transport in [each for each in transports if each in TRANSPORTS]:
                with self.subTest(graph=name, model=model, transport=transport):
                    report = self.check(self.graph(name), inputs, out, expected, "--model", model, *TRANSPORTS[transport], *options)
                    used = {edge["transport"] for edge in report["edges"] if edge["messages"] > 0}
                    self.assertEqual(used - {"local"}, {transport})

    def check_predictions(self, name, inputs, out, expected, *options, models=MODELS):
        """Each call model's messages and payload bytes, at its optimum and at a random placement, are those of its plan."""
        if SANITIZED:
            self.skipTest("predictions are the compiler's, which unit tests run under sanitizers")
        instances = 3
        for graph in (self.graph(name), self.placed(name, self.random_places(name, 1)[0])):
            profile, plan = self.path("profile.json"), self.path("model.plan")
            arguments = [part for port, file in inputs.items() for part in ("--in", port + "=" + file)]
            self.command("profile", graph, *arguments, "--repetitions", "3", "--seconds", "1", "-o", profile, *options)
            for model in models:
                with self.subTest(graph=graph, model=model, seed=SEED):
                    answer = self.command("compile", graph, "--profile", profile, "--model", model, "--window", "1", "--placement-limit", "1s", "-o", plan, *options)
                    predicted = answer["certificate"]["prediction"]
                    report = self.check(plan, inputs, out, expected, instances=instances)
                    self.assertEqual(report["messages"], predicted["messages"] * instances)
                    self.assertEqual(report["payload_bytes"], predicted["payload_bytes"] * instances)
                    self.assertGreater(report["messages"], 0)

    def command(self, *arguments):
        """The JSON object of a command that succeeds."""
        done = self.woa(*arguments, "--json", environment=self.kernels())
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout)

    def data(self, text):
        """Says which data a test used."""
        print("(data: %s) " % text, end="", file=sys.stderr, flush=True)

    def check_nested(self, name, inputs, out, expected, refusal=None):
        """rpc-nested: right outputs over each transport, or a refusal with this text."""
        if refusal is not None:
            done = self.start(self.graph(name), inputs, out, "--model", "rpc-nested")
            return self.refused(done, 1, "error[unsupported]: as rpc-nested: ", refusal)
        for transport, options in TRANSPORTS.items():
            with self.subTest(graph=name, transport=transport):
                self.check(self.graph(name), inputs, out, expected, "--model", "rpc-nested", *options, instances=2)

    def gpus(self):
        """The back-ends of GPUs, each with the options of its runs; leaves OpenCL out where it is absent. CUDA's device is the test
        double."""
        for backend in ("opencl", "cuda"):
            self.device = {}
            machine = self.write(backend + ".yaml", 'woa_machine: 1\ncontrollers: {"cpu:0": {}, "cpu:1": {}, "gpu:0": {backend: %s}}\n' % backend)
            if backend == "cuda":
                self.device = {"LD_LIBRARY_PATH": os.path.join(BUILD, "tests", "doubles", "cuda"), "WOA_CUDA_DOUBLE": "memory=4G"}
            if backend == "opencl" and (absent := self.absent(backend)):
                self.assertFalse(harness.required("opencl"), absent)
                print("(without opencl: %s) " % absent, end="", file=sys.stderr, flush=True)
                continue
            with self.subTest(backend=backend):
                yield backend, ("--machine", machine, "--window", "2")

    def absent(self, backend):
        """Why the back-end has no device here; empty if it has one."""
        for device in json.loads(self.woa("devices", "--json").stdout)["devices"]:
            if device["backend"] == backend and not device["available"]:
                return device["reason"]
        return ""

    def check_gpus(self, name, away, inputs, out, expected, *options):
        """The stages `away` on a GPU, their neighbours on the processor."""
        graph = self.placed(name, {stage: "gpu" for stage in away})
        for backend, machine in self.gpus():
            with self.subTest(graph=name, stages=away):
                report = self.check(graph, inputs, out, expected, *machine, *options)
                used = {ran["variant"] for ran in report["stages"] if re.split(r"[\[/]", ran["name"])[0] in away}
                self.assertEqual(used, {backend})

    def fpga(self):
        """The options of runs with an fpga, whose device is the model; skips the test where it is absent."""
        if absent := self.absent("verilator"):
            self.skip("verilator", absent)
        return ("--machine", self.write("fpga.yaml", 'woa_machine: 1\ncontrollers: {"cpu:0": {}, "cpu:1": {}, "fpga:0": {}}\n'))

    def check_fpga(self, name, away, inputs, out, expected, *options):
        """The stages `away` on an fpga, their neighbours on the processor."""
        report = self.check(self.placed(name, {stage: "fpga" for stage in away}), inputs, out, expected, *self.fpga(), *options)
        used = {ran["variant"] for ran in report["stages"] if ran["name"] in away}
        self.assertEqual(used, {"rtl"})

    def fails(self, name, inputs, out, *texts, options=()):
        """A run that ends with exit code 1 and these texts in the message of its failure, and writes nothing."""
        done = self.start(self.graph(name), inputs, out, *options)
        self.assertEqual(done.returncode, 1, done.stderr.decode(errors="replace")[-2000:])
        message = json.loads(done.stdout)["failures"][0]["message"]
        for text in texts:
            self.assertIn(text, message)
        self.assertFalse(os.path.exists(self.path("out")))

    def baseline(self, inputs, outputs, *options, code=0):
        """The CPU-only program: its JSON object, or its message on stderr where it ends with another code than 0."""
        arguments = [part for name, file in inputs.items() for part in ("--in", name + "=" + file)]
        arguments += [part for name, file in outputs.items() for part in ("--out", name + "=" + file)]
        program = os.path.join(BUILD, "mibench", "baseline_" + self.program)
        done = subprocess.run([program, *arguments, "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S)
        self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout) if code == 0 else done.stderr.decode(errors="replace")

    def check_baseline(self, inputs, out, expected, *options):
        """The CPU-only program writes `expected`, and its report is whole."""
        report = self.baseline(inputs, {out: self.path("plain")}, "--repeat", "3", *options)
        self.same(read(self.path("plain"), "rb"), expected)
        for total, system, files in zip(report["total_s"], report["system_s"], report["input_output_s"], strict=True):
            self.assertGreaterEqual(total, system)
            self.assertGreaterEqual(system, files)
            self.assertGreater(files, 0)
        self.assertEqual(len(report["total_s"]), 3)
        self.assertNotEqual(report["loops"], [])
        return report
