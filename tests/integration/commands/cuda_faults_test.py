"""What goes wrong with a CUDA device ends a run with its place and reason, soon, and leaves nothing behind. On the test double."""
import json
import os
import random
import re
import signal
import time

import harness
from cuda_harness import CUDA, CudaTest, read
from faults_harness import FaultsTest
from harness import LIMIT_S

# b stays on the GPU where the kernels are `stays`; early leaves the GPU before it.
GRAPH = """woa: 1
graph: three
inputs: {data: {type: "u8[512]"}}
stages:
  a: {kernel: %(a)s, in: {data: data}, on: gpu}
  b: {kernel: %(b)s, in: {data: a.data}, on: gpu}
  c: {kernel: %(a)s, in: {data: b.data}, on: "cpu:0"}
outputs: {data: c.data}
"""


class Faults(CudaTest, FaultsTest):
    def setUp(self):
        super().setUp()
        self.add_kernel("queued", bytes=512)
        self.add_kernel("stays", bytes=512, more=", resident: true")
        self.data = self.write("data", (b"a firing of a device that fails " * 16))

    def graph(self, a="queued", b="queued"):
        return self.write(f"{a}-{b}.yaml", GRAPH % {"a": a, "b": b})

    def uses_device(self, process):
        return "libcuda.so.1" in read(f"/proc/{process}/maps")

    # Before the first firing

    def test_no_library(self):
        self.fails(3, "", "controller 'gpu:0'", "no CUDA driver", "libcuda.so.1", "install NVIDIA's driver", LD_LIBRARY_PATH="/nonexistent")

    def test_no_device(self):
        for words, *texts in (("devices=0", "finds no device"),
                              ("no_driver=mismatch", "different versions", "restart the machine"),
                              ("no_driver=system", "/dev/nvidiactl", "modprobe nvidia"),
                              ("driver=9020", "the driver is for CUDA 9.2", "kernels need 10.0", "install a newer driver"),
                              ("prohibited", "mode 'prohibited'", "nvidia-smi -c DEFAULT"),
                              ("exclusive", "mode 'exclusive process'", "another process uses it", "nvidia-smi -c DEFAULT")):
            with self.subTest(words=words):
                self.fails(3, words, "error[unavailable]: controller 'gpu:0'", *texts)

    def test_ptx_newer_than_the_driver(self):
        path = os.path.join(self.kernels, "queued", "invert.ptx")
        text = read(path)
        self.write(path, re.sub(r"^\.version .*$", ".version 9.0", text, flags=re.MULTILINE))
        self.fails(3, "driver=12040", "controller 'gpu:0'", "stage 'a'", "invert.ptx", "version 9.0", "needs a driver for CUDA 13.0",
                   "this one is for CUDA 12.4", "update the driver")

    def test_no_memory_at_load(self):
        _, error = self.fails(1, "memory=2K", "error[exhausted]: controller 'gpu:0'", "are free", "region 1: ", " blocks of 512 B",
                              "lower the window", "--buffers least")
        self.assertRegex(error, r"cuMemAlloc of [0-9.]+ KiB .* of 2 KiB are free")
        allocations = 0
        while True:  # each at load; none while firings run
            code, _, error = self.end(self.start(f"fail=no_memory@{allocations + 1}", self.graph("queued", "stays"), "--instances", "9"))
            if code == 0:
                break
            allocations += 1
            with self.subTest(allocation=allocations):
                self.assertEqual(code, 1, error)
                for text in ("error[exhausted]: controller 'gpu:0'", "CUDA_ERROR_OUT_OF_MEMORY", "gpu:0"):
                    self.assertIn(text, error)
                self.assertNotIn("instance", error)
        self.assertGreater(allocations, 5)

    def test_a_cache_that_cannot_be_written(self):
        """A kernel without PTX is compiled at each start then, if there is NVRTC; else its stage says what it lacks."""
        os.remove(os.path.join(self.kernels, "queued", "invert.ptx"))
        cache = self.write("cache", "a file, where a folder would be")
        code, _, error = self.end(self.start("", self.graph(), XDG_CACHE_HOME=cache), LIMIT_S)
        if code == 3 and "NVRTC" in error:
            self.assertIn("has no PTX beside it", error)
            return self.skip("nvrtc", error)
        self.assertEqual(code, 0, error)
        self.assertIn("compiled at each start, since none can be kept", error)
        self.assertIn("XDG_CACHE_HOME", error)
        self.assertNotIn("each start", self.end(self.start("", self.graph(), XDG_CACHE_HOME=self.path("kept")), LIMIT_S)[2])
        self.assertEqual(len(os.listdir(self.path("kept/woa/ptx"))), 1)

    # In the middle of a run

    def test_an_illegal_address(self):
        for nth in (1, 2, 9, 41):  # launches; an instance has two
            with self.subTest(launch=nth):
                self.broken(f"fail=illegal_address@{nth}", "kernel_failed", "CUDA error", self.graph(), nth // 2 - 4)
        self.broken("fail=illegal_address@1", "kernel_failed", "CUDA error", self.graph("stays", "stays"), 0)
        self.broken("fail=illegal_address@2", "kernel_failed", "CUDA error", self.graph("stays", "queued"), 0)
        self.works()

    def test_a_device_that_is_lost(self):
        for nth in (1, 9, 41):
            with self.subTest(launch=nth):
                self.broken(f"fail=lost@{nth}", "unavailable", "CUDA error", self.graph(), nth // 2 - 4)
        self.broken("fail=lost@2", "unavailable", "CUDA error", self.graph("stays", "stays"), 0)

    def test_a_kernel_that_never_ends(self):
        for kind, nth in (("queued", 5), ("stays", 2)):
            with self.subTest(kernels=kind):
                out, error = self.fails(1, f"fail=endless@{nth}", "error[deadline_exceeded]", "failed at stage b",
                                        graph=self.graph(kind, kind), limit=LIMIT_S,
                                        arguments=("--instances", "3", "--window", "4", "--deadline", "7s", "--json"))
                self.assertRegex(error, r"gpu:0: warning: stage '[ab]', instance [0-3]: has run for 5 s on 'Test double")
                self.assertIn("and may never end; give the run a deadline, or look at the kernel", error)
                codes = {failure["code"] for failure in json.loads(out)["failures"]}
                self.assertEqual(codes, {"deadline_exceeded"})
        self.works()

    def test_resident_stages_that_are_launched(self):
        """Workers are launched once; where the device ends long kernels, or reaches no payloads, each firing is launched."""
        graph, arguments = self.graph("stays", "stays"), ("--instances", "20")
        self.works("fail=illegal_address@9", graph, *arguments)
        self.fails(1, "time_limit,fail=illegal_address@9", "CUDA_ERROR_ILLEGAL_ADDRESS", graph=graph, arguments=arguments)
        machine = self.write("none.yaml", CUDA % ", registers: 0")
        self.fails(1, "fail=illegal_address@9", "CUDA_ERROR_ILLEGAL_ADDRESS", graph=graph, arguments=arguments, machine=machine)

    def test_a_process_that_is_killed(self):
        """At random moments, workers running: the run ends with the controller's name, and the next one works."""
        drawn = random.Random(27)
        for which in ("gpu", "gpu", "gpu", "cpu", "gpu", "gpu"):
            for a, b in (("stays", "queued"), ("queued", "stays")):
                moment = drawn.random() * 0.5
                with self.subTest(killed=which, stages=(a, b), moment=moment):
                    run = self.start(f"seed={drawn.randrange(1000)}", self.graph(a, b), "--instances", "1000000", "--window", "4", "--json")
                    nodes = self.nodes(run)
                    time.sleep(moment)
                    os.kill(nodes[which], signal.SIGKILL)
                    code, out, error = self.end(run)
                    self.assertIn(code, (1, 3), error)  # 3: before the first instance
                    self.assertIn(f"controller '{which}:0': ", error)
                    self.assertIn("its process was ended by signal 9", error)
                    json.loads(out)
                    for node in nodes.values():
                        self.assertFalse(os.path.exists(f"/proc/{node}"))
        self.works("", self.graph("stays", "stays"))

    def test_an_interrupted_run(self):
        """Ctrl-C while workers run: the end is in order."""
        for kind in ("queued", "stays"):
            run = self.start("", self.graph(kind, kind), "--instances", "1000000")
            self.nodes(run)
            time.sleep(0.3)
            os.killpg(run.pid, signal.SIGINT)
            code, _, error = self.end(run)
            self.assertEqual(code, 130, error)
            self.assertNotIn("woa_cuda_double", error)  # no rule was broken, and nothing left registered

    def test_two_processes_on_one_device(self):
        graph = self.graph("stays", "queued")  # written once: the first run may be reading it
        runs = [self.start(f"seed={seed}", graph, "--instances", "30", "--window", "4", "--json") for seed in (1, 2)]
        found = [self.end(run, LIMIT_S) for run in runs]
        self.assertEqual([code for code, *_ in found], [0, 0], found)
        sums = {json.loads(out)["outputs"][0]["sha256"] for _, out, _ in found}
        self.assertEqual(len(sums), 1)

    def test_two_controllers_on_one_machine(self):
        machine = self.write("two.yaml", CUDA.replace('"gpu:0"', '"gpu:1": {backend: cuda}, "gpu:0"') % "")
        graph = self.write("two-graph.yaml", read(self.graph()).replace("in: {data: a.data}, on: gpu", 'in: {data: a.data}, on: "gpu:1"'))
        self.works("devices=2", graph, machine=machine)
        self.works("devices=2", graph, "--processes", "one", machine=machine)
        self.fails(3, "devices=1", "controller 'gpu:1'", "CUDA offers 1 device", graph=graph, machine=machine)


if __name__ == "__main__":
    harness.main()
