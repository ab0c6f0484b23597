"""Chains on an fpga, with each of its back-ends: what they give, and what the run tells of their stages."""
import itertools
import json
import os
import random
import struct

import harness
from harness import BUILD, WoaTest, read
from xrt_harness import MACHINE, NO_DOUBLE, double_is_built, xrt_double

BYTES, IMAGE = "bytes", "u8[height,width,channels]"
# The bound of a stage's output is a port's of its own, so it may be less than what comes.
KERNEL = """woa_kernel: 1
name: {name}
in: {{given: {{type: "{type}"}}}}
out: {{made: {{type: "{type}", max: 1MiB}}}}
library: lib{core}.so
variants: {{cpu: {{size: true}}, rtl: {{size: true, core: {core}, clock_mhz: 250}}}}
"""
KERNELS = {"invert_bytes": BYTES, "copy_bytes": BYTES, "invert_image": IMAGE, "sharpen3x3_image": IMAGE, "copy_image": IMAGE}
TWO = {"first": "invert_bytes", "last": "copy_bytes"}
THREE = {"first": "invert_image", "middle": "sharpen3x3_image", "last": "copy_image"}
SIZES = (0, 16, 64, 80, 1024, 2048, 3984)  # of the data; an image has 16 a row
SMALL, LARGE = 1088, 4096  # bounds of an output, with its dimensions
PROCESSES = ("per-controller", "one")


class Chains:
    """Mixed into a test of one back-end, which has `machine` and `environment()`."""

    def setUp(self):
        super().setUp()
        for name, type in KERNELS.items():
            core = name.partition("_")[0]
            self.write(name + ".yaml", KERNEL.format(name=name, type=type, core=core))
            if not os.path.exists(self.path(f"lib{core}.so")):
                os.symlink(os.path.join(BUILD, "kernels", core, f"lib{core}.so"), self.path(f"lib{core}.so"))
        self.machine_file = self.write("machine.yaml", self.machine)
        drawn = random.Random(62)
        self.contents = [drawn.randbytes(size) for size in SIZES]

    def graph(self, chain, device, bounds):
        """A chain on a device; `bounds` of the outputs by stage."""
        types = {KERNELS[kernel] for kernel in chain.values()}
        text = f"woa: 1\ngraph: chain\nkernels: [{', '.join(kernel + '.yaml' for kernel in chain.values())}]\n"
        text += f'inputs: {{data: {{type: "{types.pop()}", max: {LARGE}}}}}\nstages:\n'
        before = "data"
        for stage, kernel in chain.items():
            text += f'  {stage}: {{kernel: {kernel}, in: {{given: {before}}}, max: {{made: {bounds.get(stage, LARGE)}}}, on: "{device}"}}\n'
            before = stage + ".made"
        return self.write("graph.yaml", text + f"outputs: {{data: {before}}}\n")

    def run_chain(self, chain, device, *options, contents=None, code=0, bounds=None):
        """The report, and the outputs' data by instance."""
        os.makedirs(self.path("inputs"), exist_ok=True)
        images = IMAGE in (KERNELS[kernel] for kernel in chain.values())
        for k, content in enumerate(contents or self.contents):
            dimensions = struct.pack("<III", len(content) // 16, 16, 1).ljust(64, b"\0") if images else b""
            self.write(f"inputs/{k}", dimensions + content)
        done = self.woa("run", self.graph(chain, device, bounds or {}), "--machine", self.machine_file, "--in", "data=" + self.path("inputs"),
                        "--out", f"data={self.path('out')}.%i", "--json", *options, environment=self.environment())
        self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace")[-2000:])
        outputs = {}
        for k in range(len(SIZES)):
            if os.path.exists(self.path(f"out.{k}")):
                outputs[k] = read(self.path(f"out.{k}"), "rb")[64 if images else 0:]
                os.remove(self.path(f"out.{k}"))
        return json.loads(done.stdout), outputs

    def expected(self, chain):
        """The outputs' data on a processor. The library of `invert` and `copy` knows no images there, and they change bytes alone."""
        if chain == TWO:
            return self.run_chain(TWO, "cpu:0")[1]
        inverted = [bytes(255 - byte for byte in content) for content in self.contents]
        return self.run_chain({"middle": "sharpen3x3_image"}, "cpu:0", contents=inverted)[1]

    def fired(self, trace):
        """{stage: firings} of a trace."""
        names = [event["name"] for event in json.loads(read(trace))["traceEvents"] if event["ph"] == "X"]
        return {name: names.count(name) for name in names if name not in ("source", "sink")}

    def test_a_chain_gives_what_the_cpu_gives_with_messages_less(self):
        count, trace = len(SIZES), self.path("trace")
        for chain in (TWO, THREE):
            expected = self.expected(chain)
            self.assertEqual([len(output) for output in expected.values()], list(SIZES))
            for processes in PROCESSES:
                with self.subTest(stages=len(chain), processes=processes):
                    report, outputs = self.run_chain(chain, "fpga:0", "--processes", processes, "--trace", trace)
                    self.assertEqual(outputs, expected)
                    joined = len(chain) - 1
                    self.assertEqual([edge["method"] for edge in report["edges"]], ["in place", *["on-card"] * joined, "in place"])
                    self.assertEqual([edge["messages"] for edge in report["edges"]], [count, *[0] * joined, count])
                    self.assertEqual({stage["name"]: stage["firings"] for stage in report["stages"]}, dict.fromkeys(chain, count))
                    self.assertTrue(all(stage["busy_s"] > 0 for stage in report["stages"]))
                    self.assertEqual(self.fired(trace), dict.fromkeys(chain, count))

    def test_whichever_stage_fails_is_named_and_those_behind_it_did_not_run(self):
        """An output's bound is too small for the larger data."""
        small, trace = {k for k, size in enumerate(SIZES) if size <= 1024}, self.path("trace")
        for chain in (TWO, THREE):
            right = {k: output for k, output in self.expected(chain).items() if k in small}
            for failing, processes in itertools.product(chain, PROCESSES):
                with self.subTest(stages=len(chain), failing=failing, processes=processes):
                    report, outputs = self.run_chain(chain, "fpga:0", "--processes", processes, "--trace", trace, code=1, bounds={failing: SMALL})
                    self.assertEqual(outputs, right)
                    failures = {each["instance"]: (each["stage"], each["code"]) for each in report["failures"]}
                    self.assertEqual(failures, dict.fromkeys(set(range(len(SIZES))) - small, (failing, "too_large")))
                    ran = list(chain)[:list(chain).index(failing) + 1]
                    firings = {stage: len(SIZES) if stage in ran else len(small) for stage in chain}
                    self.assertEqual({stage["name"]: stage["firings"] for stage in report["stages"]}, firings)
                    self.assertEqual(self.fired(trace), firings)


class OnTheModel(Chains, WoaTest):
    machine = MACHINE.replace("xrt", "verilator") % ""

    def setUp(self):
        super().setUp()
        self.need_backend("verilator")

    def environment(self):
        return {}


class OnTheDoubleOfACard(Chains, WoaTest):
    machine = MACHINE % ""

    def setUp(self):
        super().setUp()
        if not double_is_built():
            self.skip("verilator", NO_DOUBLE)

    def environment(self):
        return xrt_double("seed=4")


class TwoInputs(WoaTest):
    """A stage that joins the data with what a stage elsewhere makes of them, first of a chain."""

    def graph(self, controller):
        return self.write("graph.yaml", f"""woa: 1
graph: pairs
inputs: {{data: {{type: bytes, max: {LARGE}}}}}
stages:
  other: {{kernel: invert, in: {{data: data}}, on: 'cpu:0'}}
  both: {{kernel: join2, in: {{a: data, b: other.data}}, on: '{controller}'}}
  turned: {{kernel: invert, in: {{data: both.data}}, on: '{controller}'}}
outputs: {{data: turned.data}}
""")

    def test_a_stage_of_two_inputs_gives_what_the_cpu_gives(self):
        self.need_backend("verilator")
        drawn = random.Random(7)
        os.mkdir(self.path("inputs"))
        for k, size in enumerate(SIZES):
            self.write(f"inputs/{k}", drawn.randbytes(size))
        results = {}
        for controller, processes in (("cpu:0", "one"), *(("fpga:0", each) for each in PROCESSES)):
            done = self.woa("run", self.graph(controller), "--in", "data=" + self.path("inputs"), "--out", f"data={self.path('out')}.%i", "--json",
                            "--processes", processes)
            self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
            results[controller, processes] = [read(self.path(f"out.{k}"), "rb") for k in range(len(SIZES))]
            report = json.loads(done.stdout)
            self.assertEqual({stage["name"]: stage["firings"] for stage in report["stages"]}, dict.fromkeys(("other", "both", "turned"), len(SIZES)))
            if controller == "fpga:0":
                matches = {each["name"]: each["matches"] for each in report["controllers"]}
                self.assertEqual(matches["fpga:0"], "instance")
                self.assertEqual([edge["method"] for edge in report["edges"]].count("on-card"), 1)
        first = results["cpu:0", "one"]
        self.assertEqual([len(each) for each in first], [2 * size for size in SIZES])
        for result in results.values():
            self.assertEqual(result, first)

    def test_a_card_without_a_match_table_refuses_it(self):
        done = self.woa("compile", self.graph("fpga:0"), "--machine", self.write("machine.yaml", MACHINE % ""), "-o", self.path("plan"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("has two inputs", done.stderr.decode())


if __name__ == "__main__":
    harness.main()
