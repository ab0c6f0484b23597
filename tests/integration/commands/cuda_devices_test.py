"""What `woa doctor` and a run say of CUDA devices, on the test double of their driver; and the page docs/gpu.md."""
import json
import os
import subprocess
import sys
import time
import unittest

import harness
from cuda_harness import CudaTest
from harness import LIMIT_S, SANITIZED, SOURCE, WOA

sys.path.insert(0, os.path.join(SOURCE, "tests", "lint"))
import readme  # noqa: E402

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
TWO = """
woa: 1
graph: two
inputs: {data: {type: bytes, max: 4KiB}}
stages:
  a: {kernel: invert, in: {data: data}, max: {data: 4KiB}, on: "gpu:0"}
  b: {kernel: copy, in: {data: a.data}, max: {data: 4KiB}, on: "gpu:1"}
outputs: {data: b.data}
"""
IDLE = """
woa: 1
graph: idle
inputs: {data: {type: "u8[512]"}}
stages:
  a: {kernel: KERNEL, in: {data: data}, on: gpu}
outputs: {data: a.data}
"""
PROMISED_SHARE = 0.01  # of a processor core, of an idle controller
PROMISED_S = 2.0  # until a run ends whose device failed
TIMES = 10  # what a test of a loaded machine allows


class Devices(CudaTest):
    def setUp(self):
        super().setUp()
        self.image = self.write("image", bytes(k * k % 251 for k in range(256)))

    def run_on(self, controller, words="", *options):
        graph = self.write("graph.yaml", GRAPH.replace("GPU", controller))
        return self.woa("run", graph, "--machine", self.machine, "--in", "image=" + self.image, "--out", "out=" + self.path("out"),
                        "--instances", "30", *options, environment=self.double(words))

    def result_on(self, controller, words="", *options):
        done = self.run_on(controller, words, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return harness.read(self.path("out"), "rb")

    def cuda_finding(self, words):
        findings = json.loads(self.woa("doctor", "--json", environment=self.double(words)).stdout)["findings"]
        return next(finding for finding in findings if finding["subject"] == "gpu (cuda)")

    def test_the_doctor_says_what_a_device_lacks(self):
        for words, text in (("", "sm_75, driver for CUDA 13.0"), ("no_memops", "no 64-bit memory operations"),
                            ("time_limit", "no resident workers")):
            finding = self.cuda_finding(words)
            self.assertEqual(finding["health"], "good", finding)
            self.assertIn("(simulated)", finding["found"])
            self.assertIn(text, finding["found"])

    def test_why_there_is_no_device(self):
        for words, text in (("devices=0", "finds no device"), ("driver=9020", "CUDA 9.2"), ("prohibited", "nvidia-smi -c DEFAULT"),
                            ("no_driver=mismatch", "restart the machine"), ("no_driver=system", "/dev/nvidiactl"),
                            ("exclusive", "another process uses it")):
            finding = self.cuda_finding(words)
            self.assertEqual(finding["health"], "absent", finding)
            self.assertIn(text, finding["found"])
            devices = self.woa("devices", environment=self.double(words)).stdout.decode()
            self.assertRegex(devices, r"gpu(:0)? +cuda +unavailable: .*" + text)
        self.assertRegex(self.woa("devices", environment=self.double()).stdout.decode(), r"gpu:0 +cuda +Test double .*\(simulated\)\n")

    def test_a_device_that_fails_ends_the_run_soon(self):
        for fault in ("illegal_address@5", "lost@5"):
            begin = time.monotonic()
            done = self.run_on("gpu:0", "fail=" + fault)
            took = time.monotonic() - begin
            self.assertEqual(done.returncode, 1, done.stderr)
            for text in (b"gpu:0", b"stage '", b"instance ", b"CUDA error"):
                self.assertIn(text, done.stderr)
            print(f"{fault}: the run ended after {took:.2f} s, promised are {PROMISED_S} s")
            self.assertLess(took, TIMES * PROMISED_S * LIMIT_S / 60)
            self.assertEqual(len(self.result_on("gpu:0")) % 30, 0)  # the next run works

    def test_a_device_that_another_process_has_alone(self):
        devices = json.loads(self.woa("devices", "--json", environment=self.double("exclusive")).stdout)["devices"]
        (row,) = (row for row in devices if row["backend"] == "cuda")
        self.assertEqual((row["controller"], row["available"]), ("gpu:0", False))
        for text in ("Test double", "'exclusive process', and another process uses it", "nvidia-smi -c DEFAULT"):
            self.assertIn(text, row["reason"])

    def test_one_process_for_two_back_ends(self):
        """Each has its own first device. No driver is probed, by a fork, after another one woke: the double would abort."""
        if not any(row["backend"] == "opencl" and row["available"] for row in
                   json.loads(self.woa("devices", "--json").stdout)["devices"]):
            self.skip("opencl", "no OpenCL device")
        graph, data = self.write("two.yaml", TWO), self.write("data", bytes(range(256)))
        environment = self.double("devices=1")
        del environment["OCL_ICD_VENDORS"]  # which would hide OpenCL's
        for first, second in (("cuda", "opencl"), ("opencl", "cuda")):
            machine = self.write("two-machine.yaml", "woa_machine: 1\ncontrollers: {'cpu:0': {}, 'gpu:0': {backend: %s}, 'gpu:1': {backend: %s}}\n"
                                 % (first, second))
            for processes in ("one", "per-controller"):
                with self.subTest(first=first, processes=processes):
                    report = self.run_json(graph, "--machine", machine, "--in", "data=" + data, "--out", "data=" + self.path("out"),
                                           "--processes", processes, environment=environment)
                    self.assertEqual({entry["name"]: entry["backend"] for entry in report["controllers"][1:]},
                                     {"gpu:0": first, "gpu:1": second})
                    self.assertEqual(harness.read(self.path("out"), "rb"), bytes(range(255, -1, -1)))

    @unittest.skipIf(SANITIZED, "the page's limits are those of optimized code")
    def test_the_page_says_how(self):
        readme.main(SOURCE, harness.BUILD, "docs/gpu.md")


class Idle(CudaTest):
    IDLE_S = 5

    def cpu_s(self, process):
        """Processor time of all threads of a process."""
        fields = harness.read(f"/proc/{process}/stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def gpu_process(self, run):
        """The run's process that has opened the driver."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            for child in harness.read(f"/proc/{run.pid}/task/{run.pid}/children").split():
                try:
                    if "libcuda.so.1" in harness.read(f"/proc/{child}/maps"):
                        return child
                except OSError:
                    pass  # it has ended: it probed
            time.sleep(0.05)
        self.fail("the run has no process that uses the driver")

    def test_an_idle_controller_takes_next_to_no_time(self):
        for kernel, more in (("queued", ""), ("stays", ", resident: true")):
            self.add_kernel(kernel, bytes=512, more=more)
            environment = dict(os.environ, XDG_CONFIG_HOME=self.path("config"), **self.double())
            run = subprocess.Popen([WOA, "run", self.write("idle.yaml", IDLE.replace("KERNEL", kernel)), "--machine", self.machine, "--in", "data=-",
                                    "--out", "data=-", "--frames", "fixed:512"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            self.addCleanup(lambda each: (each.kill(), each.wait(), each.stdin.close(), each.stdout.close()), run)
            for k in range(2):  # before the wait and after it
                run.stdin.write(bytes([k]) * 512)
                run.stdin.flush()
                self.assertEqual(run.stdout.read(512), bytes([255 - k]) * 512)
                if k == 0:
                    process = self.gpu_process(run)
                    time.sleep(1)  # a worker leaves, and the controller goes to sleep
                    before = self.cpu_s(process)
                    time.sleep(self.IDLE_S)
                    share = (self.cpu_s(process) - before) / self.IDLE_S
            run.stdin.close()
            self.assertEqual(run.wait(LIMIT_S), 0)
            print(f"idle, {kernel}: {100 * share:.2f} % of a core, promised are {100 * PROMISED_SHARE:.0f} %")
            self.assertLessEqual(share, TIMES * PROMISED_SHARE)


if __name__ == "__main__":
    harness.main()
