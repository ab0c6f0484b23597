"""What goes wrong with a card that XRT drives ends a run with its place and reason, soon, and leaves nothing behind. On the test double."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import harness
from faults_harness import SOON_S, FaultsTest
from harness import BUILD, SOURCE, read
from xrt_harness import DOUBLE, MACHINE, need_double, xrt_double

LIBRARY = "libxrt_coreutil.so.2"
GRAPH = """woa: 1
graph: three
inputs: {data: {type: bytes, max: 8KiB}}
stages:
  a: {kernel: invert, in: {data: data}, max: {data: 8KiB}, on: fpga}
  b: {kernel: copy, in: {data: a.data}, max: {data: 8KiB}, on: "cpu:0"}
  c: {kernel: copy, in: {data: b.data}, max: {data: 8KiB}, on: fpga}
outputs: {data: c.data}
"""
FIRST = 3  # run of a firing: the node was asked for its description, and took its tables
DEADLINE_S = 7  # beyond the 5 s after which a long run is named


class Faults(FaultsTest):
    KIND = "fpga"

    def setUp(self):
        super().setUp()
        self.machine = self.write("machine.yaml", MACHINE % "")
        self.data = self.write("data", random.Random(28).randbytes(5000))  # beyond what travels behind a command
        self.card = self.path("card")

    def graph(self, text=GRAPH):
        return self.write("graph.yaml", text)

    def double(self, words="", **more):
        return xrt_double(words) | more

    def uses_device(self, process):
        """It has the file open that stands for the card."""
        folder = f"/proc/{process}/fd"
        return any(os.path.realpath(os.path.join(folder, number)) == os.path.realpath(self.card + "0") for number in os.listdir(folder))

    # Before the first firing

    def test_no_library_and_one_without_a_function(self):
        broken = self.path("broken")
        os.mkdir(broken)
        self.write("broken/" + LIBRARY, "")
        self.fails(3, "", "error[unavailable]: controller 'fpga:0'", LIBRARY, LD_LIBRARY_PATH=broken)
        shutil.copy(os.path.join(BUILD, "kernels/copy/libcopy.so"), os.path.join(broken, LIBRARY))
        self.fails(3, "", "error[unavailable]: controller 'fpga:0'", "has no xrtDeviceOpen; XRT 2.13 or newer is required", LD_LIBRARY_PATH=broken)

    def test_a_file_that_is_damaged(self):
        whole = read(os.path.join(DOUBLE, "woa.xclbin"), "rb")
        for name, data, text in (("short", whole[:-100], f"the header says {len(whole)} bytes, and the file has {len(whole) - 100}"),
                                 ("other", b"x" * 600, "where an xclbin has 'xclbin2'"), ("empty", b"", "cut short")):
            self.fails(3, "", "error[unavailable]: controller 'fpga:0'", "WOA_XCLBIN=", text, WOA_XCLBIN=self.write(name, data))
        self.fails(3, "", "WOA_XCLBIN names no xclbin", WOA_XCLBIN="")

    def test_a_file_without_the_core_that_a_stage_needs(self):
        file = self.path("other.xclbin")
        subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "tools/fpga-xclbin"), "xclbin", "--cores", "copy,-,sharpen3x3", "-o", file],
                       check=True)
        self.fails(1, "", "error[unsupported]: controller 'fpga:0': stage 'a'", "core 'invert' is not in this node; it has copy, sharpen3x3",
                   WOA_XCLBIN=file)

    def test_a_driver_that_takes_no_user_memory(self):
        error = self.works("no_user_pointer")
        for text in ("takes no buffer over", "payloads of output", "the host copies these payloads, which takes longer"):
            self.assertIn(text, error)

    def test_a_card_that_cannot_be_used(self):
        for words, *texts in (("fail=busy@1", "is taken by another controller or process"), ("fail=load@1", "does not configure card"),
                              ("fail=wrong_shell@1", "built for platform")):
            with self.subTest(words=words):
                self.fails(3, words, "error[unavailable]: controller 'fpga:0'", *texts)
        self.fails(1, "memory=40K", "error[exhausted]: controller 'fpga:0'", "no room for", "DDR[0]")
        for run in range(1, FIRST):
            self.fails(1, f"fail=run_error@{run}", "error[kernel_failed]: controller 'fpga:0'", "did not carry out the command", "'error'")

    # In the middle of a run

    def test_a_run_that_fails(self):
        for fault, code, reason in (("run_error", "kernel_failed", "ended in state 'error'"),
                                    ("damaged", "data_loss", "the packet node refused activate"),
                                    ("start", "unavailable", "XRT refuses the start of a run")):
            for nth in (FIRST, FIRST + 1, 50):  # an instance has two
                with self.subTest(fault=fault, run=nth):
                    self.broken(f"fail={fault}@{nth}", code, reason, self.graph(), (nth - FIRST) // 2 - 4)
        self.broken("fail=damaged@50", "data_loss", "the packet node refused activate", self.graph(), 19, "--processes", "one")
        self.works()

    def test_a_copy_that_fails(self):
        for nth in (5, 6, 7, 8, 9, 90):  # four copies at the start
            with self.subTest(copy=nth):
                self.broken(f"fail=sync@{nth}", "unavailable", "copying", self.graph(), 0)

    def test_a_card_that_is_lost(self):
        for nth in (FIRST, 30):
            with self.subTest(run=nth):
                self.fails(1, f"fail=lost@{nth}", "controller 'fpga:0': stage '", "on card 'Test double", arguments=("--instances", "60"))

    def test_a_unit_that_never_ends(self):
        """The instances' deadline ends them, and the run ends without the card."""
        for processes in ("one", "per-controller"):
            with self.subTest(processes=processes):
                began = time.monotonic()
                out, error = self.fails(1, "fail=hung@5", "error[deadline_exceeded]", limit=DEADLINE_S + SOON_S,
                                        arguments=("--instances", "4", "--window", "4", "--deadline", f"{DEADLINE_S}s", "--end-limit", "1s",
                                                   "--json", "--processes", processes))
                print(f"a unit that never ends, {processes}: the run ended after {time.monotonic() - began:.1f} s; the deadline was {DEADLINE_S} s")
                self.assertRegex(error, r"warning: stage '[ac]', instance [0-9]+, run [0-9]+ of unit 'woa_wact_1' on card 'Test double.*: has run for 5 s")
                self.assertIn("give the run a deadline, or reset the card", error)
                failures = json.loads(out)["failures"]
                self.assertEqual({failure["code"] for failure in failures}, {"deadline_exceeded"})
        self.works()

    def test_a_process_that_is_killed(self):
        """With runs under way: the run ends with the controller's name, and the next one gets the card."""
        drawn = random.Random(28)
        for which in ("fpga", "cpu", "fpga", "fpga"):
            moment = drawn.random() * 0.3
            with self.subTest(killed=which, moment=moment):
                words = f"card={self.card},delay_us=500,seed={drawn.randrange(1, 1000)}"
                run = self.start(words, self.graph(), "--instances", "1000000", "--window", "4", "--json")
                nodes = self.nodes(run)
                time.sleep(moment)
                os.kill(nodes[which], signal.SIGKILL)
                code, out, error = self.end(run)
                self.assertIn(code, (1, 3), error)  # 3: before the first instance
                self.assertIn(f"controller '{which}:0': ", error)
                self.assertIn("its process was ended by signal 9", error)
                json.loads(out)
                self.works("card=" + self.card)

    def test_an_interrupted_run(self):
        run = self.start(f"card={self.card}", self.graph(), "--instances", "1000000")
        self.nodes(run)
        time.sleep(0.3)
        os.killpg(run.pid, signal.SIGINT)
        code, _, error = self.end(run)
        self.assertEqual(code, 130, error)
        self.assertNotIn("woa_xrt_double", error)  # no rule was broken, and nothing left

    def test_two_processes_on_one_card(self):
        words = f"card={self.card}"
        first = self.start(words, self.graph(), "--instances", "1000000")
        self.nodes(first)
        self.fails(3, words, "error[unavailable]: controller 'fpga:0'", "woa_wact:{woa_wact_1}", "is taken by another controller or process")
        os.killpg(first.pid, signal.SIGINT)
        self.assertEqual(self.end(first)[0], 130)
        self.works(words)

    def test_two_controllers_on_one_machine(self):
        """Each has a card, or a unit of one card."""
        machine = self.write("two.yaml", (MACHINE % "").replace('"fpga:0"', '"fpga:1": {backend: xrt}, "fpga:0"'))
        graph = self.graph(GRAPH.replace("data: b.data}, max: {data: 8KiB}, on: fpga", 'data: b.data}, max: {data: 8KiB}, on: "fpga:1"'))
        for processes in ("one", "per-controller"):
            self.works("devices=2", graph, "--processes", processes, machine=machine)
            self.works("card=" + self.card, graph, "--processes", processes, machine=machine, WOA_XCLBIN=os.path.join(DOUBLE, "two.xclbin"))
        self.fails(3, "devices=1", "controller 'fpga:1'", "XRT offers 1 unit", graph=graph, machine=machine)


if __name__ == "__main__":
    need_double()
    harness.main()
