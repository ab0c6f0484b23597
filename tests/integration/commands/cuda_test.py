"""The cuda back-end as a user meets it, on the test double of its driver."""
import json
import os
import time

import harness
from harness import WoaTest

DOUBLE = os.path.join(harness.BUILD, "tests", "doubles", "cuda")
MACHINE = "woa_machine: 1\ncontrollers: {'cpu:0': {}, 'gpu:0': {backend: cuda}}\n"
GRAPH = """
woa: 1
graph: images
inputs: {image: {type: "u8[16,16,1]"}}
stages:
  a: {kernel: sharpen3x3, in: {image: image}, on: "GPU", max: {image: 4KiB}}
  b: {kernel: sharpen3x3, in: {image: a.image}, on: "GPU", max: {image: 4KiB}}
  c: {kernel: sharpen3x3, in: {image: b.image}, on: "cpu:0", max: {image: 4KiB}}
  d: {kernel: sharpen3x3, in: {image: c.image}, on: "GPU", max: {image: 4KiB}}
outputs: {out: d.image}
"""


def on_double(words=""):
    folders = os.pathsep.join(filter(None, [DOUBLE, os.environ.get("LD_LIBRARY_PATH")]))
    return {"LD_LIBRARY_PATH": folders, "WOA_CUDA_DOUBLE": words}


class Cuda(WoaTest):
    def setUp(self):
        super().setUp()
        self.machine = self.write("machine.yaml", MACHINE)
        self.image = self.write("image", bytes(k * k % 251 for k in range(256)))

    def run_on(self, controller, words="", *options):
        graph = self.write("graph.yaml", GRAPH.replace("GPU", controller))
        return self.woa("run", graph, "--machine", self.machine, "--in", "image=" + self.image, "--out", "out=" + self.path("out"),
                        "--instances", "30", *options, environment=on_double(words))

    def result_on(self, controller, words="", *options):
        done = self.run_on(controller, words, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return harness.read(self.path("out"), "rb")

    def cuda_finding(self, words):
        findings = json.loads(self.woa("doctor", "--json", environment=on_double(words)).stdout)["findings"]
        return next(finding for finding in findings if finding["subject"] == "gpu (cuda)")

    def test_results_equal_the_cpus(self):
        expected = self.result_on("cpu:0")
        for words, options in (("", []), ("seed=2", ["--processes", "one"]), ("no_memops,seed=3", []), ("no_read_only,seed=4", [])):
            self.assertEqual(self.result_on("gpu:0", words, *options), expected, words)

    def test_the_doctor_says_what_a_device_lacks(self):
        for words, text in (("", "sm_75, driver for CUDA 13.0"), ("no_memops", "no 64-bit memory operations"),
                            ("exclusive", "one process at a time"), ("time_limit", "no resident workers")):
            finding = self.cuda_finding(words)
            self.assertEqual(finding["health"], "good", finding)
            self.assertIn("(simulated)", finding["found"])
            self.assertIn(text, finding["found"])

    def test_the_doctor_says_why_there_is_no_device(self):
        for words, text in (("devices=0", "finds no device"), ("driver=9020", "CUDA 9.2"), ("prohibited", "nvidia-smi -c DEFAULT")):
            finding = self.cuda_finding(words)
            self.assertEqual(finding["health"], "absent", finding)
            self.assertIn(text, finding["found"])

    def test_a_device_that_fails_ends_the_run_soon(self):
        for fault in ("illegal_address@5", "lost@5"):
            begin = time.monotonic()
            done = self.run_on("gpu:0", "fail=" + fault)
            took = time.monotonic() - begin
            self.assertEqual(done.returncode, 1, done.stderr)
            for text in (b"gpu:0", b"stage '", b"instance ", b"CUDA error"):
                self.assertIn(text, done.stderr)
            self.assertLess(took, harness.LIMIT_S / 6)
            self.assertEqual(len(self.result_on("gpu:0")) % 30, 0)  # the next run works


if __name__ == "__main__":
    harness.main()
