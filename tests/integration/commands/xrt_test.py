"""Graphs with stages on a card that XRT drives, on the test double: the outputs of the cpu variants, under every call model, with a
process for each controller and in one, with several windows and seeds of the card's delays, with registered and with copied payloads.
And the page docs/fpga.md."""
import itertools
import os
import sys
import unittest

import harness
from device_graphs import JOIN, LOOP, SCATTER, on, picture
from harness import BUILD, SANITIZED, SOURCE, WoaTest
from xrt_harness import MACHINE, need_double, xrt_double

sys.path.insert(0, os.path.join(SOURCE, "tests", "lint"))
import readme  # noqa: E402

MODELS = ("woa", "rpc-fused", "rpc-hub")
ALL_MODELS = MODELS + ("rpc-nested", "rpc-polled")  # of graphs that can be nested or polled
INSTANCES = 6
# Words for the controller in the machine file, and for the double. A run takes the next of these, and the next window.
CARDS = (("", "seed=1"), ("", "seed=2,no_user_pointer"), (", registers: 0", "seed=3"), ("", "seed=0"), ("", "seed=5,delay_us=200"))
WINDOWS = (1, 2, 4)

IMAGES = """woa: 1
graph: images
inputs: {image: {type: "u8[height,width,channels]", max: 32KiB}}
stages:
  a: {kernel: sharpen3x3, in: {image: image}, max: {image: 32KiB}, on: fpga}
  b: {kernel: resize_bilinear, in: {image: a.image}, params: {width: 31, height: 17, fit: cover}, max: {image: 32KiB}, on: "cpu:0"}
  c: {kernel: sharpen3x3, in: {image: b.image}, max: {image: 32KiB}, on: fpga}
outputs: {image: c.image}
"""
# b and c are joined on the card.
CHAIN = """woa: 1
graph: chain
inputs: {data: {type: bytes, max: 32KiB}}
stages:
  a: {kernel: copy, in: {data: data}, max: {data: 32KiB}, on: "cpu:0"}
  b: {kernel: invert, in: {data: a.data}, max: {data: 32KiB}, on: fpga}
  c: {kernel: copy, in: {data: b.data}, max: {data: 32KiB}, on: fpga}
  d: {kernel: copy, in: {data: c.data}, max: {data: 32KiB}, on: "cpu:1"}
outputs: {data: d.data, early: a.data}
"""
FIXED = """woa: 1
graph: fixed
kernels: [fixed.yaml]
inputs: {data: {type: "u8[5000]"}}
stages:
  a: {kernel: fixed, in: {data: data}, on: fpga}
  b: {kernel: fixed, in: {data: a.data}, on: "cpu:0"}
  c: {kernel: fixed, in: {data: b.data}, on: fpga}
outputs: {data: c.data, early: a.data}
"""
FIXED_KERNEL = """woa_kernel: 1
name: fixed
in: {data: {type: "u8[5000]"}}
out: {data: {type: "u8[5000]"}}
library: libinvert.so
variants: {cpu: {size: true}, rtl: {size: true, core: invert, clock_mhz: 250}}
"""


class Graphs(WoaTest):
    def check(self, name, text, *arguments, models=ALL_MODELS, small=False):
        """The graph's outputs on a processor are those on the card. `small`: no payload can exceed 4 KiB, so none has a buffer."""
        graph = self.write(name + ".yaml", text)
        there = self.write(name + "-cpu.yaml", text.replace("on: fpga", 'on: "cpu:0"'))
        arguments = [*arguments, "--instances", str(INSTANCES)]
        expected = self.run_json(there, *arguments)["outputs"]
        self.assertGreater(expected[0]["bytes"], 0)
        cards, windows = itertools.cycle(CARDS), itertools.cycle(WINDOWS)
        for model, processes, _ in itertools.product(models, ("one", "per-controller"), range(2)):
            (registers, words), window = next(cards), next(windows)
            with self.subTest(graph=name, model=model, processes=processes, window=window, words=words, registers=registers):
                machine = self.write("machine.yaml", MACHINE % registers)
                report = self.run_json(graph, *arguments, "--model", model, "--processes", processes, "--window", str(window),
                                       "--machine", machine, environment=xrt_double(words))
                self.assertEqual(report["outputs"], expected)
                self.assertEqual(report["failures"], [])
                (card,) = (controller for controller in report["controllers"] if controller["name"] == "fpga:0")
                self.assertEqual((card["backend"], card["simulated"]), ("xrt", True))
                staged = {end for edge in report["edges"] for end in edge["staged"]}
                self.assertEqual(staged, {"fpga:0"} if not small and (registers or "no_user_pointer" in words) else set())
                joined = [edge["to"] for edge in report["edges"] if edge["method"] == "on-card"]
                self.assertEqual(joined, ["c.data"] if name == "chain" and model == "woa" else [])

    def data(self, bytes):
        return "data=" + self.write("data", bytes)

    def test_images(self):
        self.check("images", IMAGES, "--in", "image=" + self.write("image", picture(21, 34, 3)))

    def test_joins(self):
        self.check("join", on("fpga", JOIN), "--in", self.data(bytes(range(256)) * 70))

    def test_chains(self):
        self.check("chain", CHAIN, "--in", self.data(bytes(range(256)) * 70))

    def test_packets_of_one_size(self):
        self.write("fixed.yaml", FIXED_KERNEL)
        os.symlink(os.path.join(BUILD, "kernels", "invert", "libinvert.so"), self.path("libinvert.so"))
        self.check("of-one-size", FIXED, "--in", self.data((b"packets of one size " * 250)[:5000]))

    def test_loops(self):
        os.mkdir(self.path("data"))
        for k in range(INSTANCES):  # even ones turn once
            self.write(f"data/{k}", bytes([k]) * (k * 100 + 1))
        self.check("loop", on("fpga", LOOP), "--in", "data=" + self.path("data"), models=MODELS, small=True)

    def test_scatters(self):
        text = "".join("line %d %s\n" % (k, "x" * (k * 7 % 40)) for k in range(20))
        self.check("scatter", on("fpga", SCATTER), "--in", "text=" + self.write("text", text), models=MODELS, small=True)

    @unittest.skipIf(SANITIZED, "the page's limits are those of optimized code")
    def test_the_page_says_how(self):
        self.need_backend("verilator")
        readme.main(SOURCE, harness.BUILD, "docs/fpga.md")


if __name__ == "__main__":
    need_double()
    harness.need_kernels("copy", "invert", "join2", "route", "split_lines", "join_lines")
    harness.main()
