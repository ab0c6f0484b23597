"""The experiment `woa-mibench run` with one small program of shipped kernels: its files, its bad input, and how it ends."""
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

sys.path.insert(0, os.path.join(os.environ["WOA_SOURCE_DIR"], "tests/integration/commands"))
import browser  # noqa: E402
import harness  # noqa: E402
from harness import BUILD, LIMIT_S, WoaTest, read  # noqa: E402

MIBENCH = os.path.join(BUILD, "woa-mibench")
PROGRAM = """
program: flip
summary: every bit inverted, three times
baseline: flip.py
cases:
  small: {in: {data: input/data}, out: {data: {golden: golden/data, compare: exact}}}
variants: {fine: {graph: fine.yaml}, coarse: {graph: coarse.yaml}}
remote: [two, three]
"""
FINE = """
woa: 1
graph: flip-fine
inputs: {data: {type: bytes, max: 64KiB}}
stages:
  one:   {kernel: invert, in: {data: data}}
  two:   {kernel: invert, in: {data: one.data}}
  three: {kernel: invert, in: {data: two.data}}
outputs: {data: three.data}
"""
COARSE = """
woa: 1
graph: flip-coarse
inputs: {data: {type: bytes, max: 64KiB}}
stages: {one: {kernel: invert, in: {data: data}}}
outputs: {data: one.data}
"""
BASELINE = """#!/usr/bin/env python3
import json, sys
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
data = open(words["--in"].split("=")[1], "rb").read()
open(words["--out"].split("=")[1], "wb").write(bytes(255 - byte for byte in data))
repeat = int(words["--repeat"])
print(json.dumps({"total_s": [1e-3] * repeat, "system_s": [5e-4] * repeat, "input_output_s": [5e-4] * repeat, "loops": []}))
"""
ODD = """
woa_kernel: 1
name: odd
summary: Fails with a byte that is no UTF-8
in: {data: {type: bytes, max: 64KiB}}
out: {data: {type: bytes, max: 64KiB}}
library: libodd.so
variants: {cpu: {}}
"""
ODD_CODE = r"""
#include "woa/woa_kernel.h"
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  return woa_fail(error, WOA_INVALID, "odd byte %c", 0xff);
}
WOA_KERNEL_TABLE(.run = run)
"""
FIELDS = {"program", "variant", "coupling", "model", "correct", "messages", "predicted_messages", "time_s", "predicted_time_s",
          "acceleration", "amdahl_limit", "modelled", "payload_bytes", "placement", "status", "min_s", "max_s"}


class ExperimentTest(WoaTest):
    def setUp(self):
        super().setUp()
        if subprocess.run([sys.executable, "-c", "import yaml"], check=False).returncode != 0:
            self.skip("yaml", "the experiment needs python3-yaml")
        for folder in ("flip", "data/input", "data/golden", "temporary"):
            os.makedirs(self.path(folder))
        self.write("flip/program.yaml", PROGRAM)
        self.write("flip/fine.yaml", FINE)
        self.write("flip/coarse.yaml", COARSE)
        os.chmod(self.write("flip/flip.py", BASELINE), 0o755)
        self.write("data/input/data", b"hello\n" * 100)
        self.write("data/golden/data", bytes(255 - byte for byte in b"hello\n" * 100))
        self.write("machine.yaml", "woa_machine: 1\n")

    def command(self, *more, couplings="tight"):
        return [MIBENCH, "run", "--from", self.path("flip"), "--data", self.path("data"), "--out", self.path("results"), "--machine",
                self.path("machine.yaml"), "--repeat", "1", "--couplings", couplings, *more]

    def start(self, command):
        # A folder for temporary files that nobody else uses shows what is left.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, TMPDIR=self.path("temporary")))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def experiment(self, *more, code=0, **where):
        process = self.start(self.command(*more, **where))
        out, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, code, errors[-3000:] + out[-3000:])
        self.nothing_left(process.pid)
        return out, errors

    def namespaces(self, process):
        if not harness.shutil.which("ip"):
            return []
        listed = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        return [line for line in listed.stdout.splitlines() if line.startswith(f"woa-mibench-{process}-")]

    def nothing_left(self, process):
        """The reaper may take some seconds after a kill."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and (os.listdir(self.path("temporary")) or self.namespaces(process)):
            time.sleep(0.05)
        self.assertEqual(os.listdir(self.path("temporary")), [])
        self.assertEqual(self.namespaces(process), [])

    def results(self):
        return json.loads(read(self.path("results/mibench.json")))

    def test_table_json_csv_and_page(self):
        out, errors = self.experiment("--repeat", "2")
        results = self.results()
        for name in ("machine", "commit", "versions", "couplings"):
            self.assertIn(name, results)
        runs = results["runs"]
        self.assertEqual({(row["variant"], row["where"]) for row in runs},
                         {("fine", "optimum"), ("fine", "one"), ("fine", "two"), ("coarse", "optimum")})
        self.assertEqual(len(runs), 4 * 5)
        for row in runs:
            self.assertLessEqual(FIELDS, set(row))
            self.assertTrue(row["correct"], row)
            self.assertEqual(row["messages"], row["predicted_messages"], row)
            self.assertEqual(row["payload_bytes"], row["predicted_payload_bytes"], row)
            self.assertAlmostEqual(row["acceleration"], 1e-3 / row["time_s"])
            self.assertEqual(row["amdahl_limit"], 2)
        two = {row["model"]: row["messages"] for row in runs if (row["variant"], row["where"]) == ("fine", "two")}
        self.assertEqual([two[model] for model in ("woa", "rpc-fused", "rpc-hub", "rpc-polled")], [4, 6, 6, 15])
        self.assertEqual(len(results["throughput"]), 2 * 5 + 2)  # fine also as placed for `one` and `two`
        met = {bar["what"]: bar["met"] for bar in results["bars"]}
        for what in ("outputs of all models and couplings", "messages and bytes", "messages at one placement"):
            self.assertTrue(met[what], results["bars"])
        self.assertTrue(out.startswith("bars\n"), out)  # the verdict stands above all tables
        self.assertRegex(out, r"flip fine, tight: CPU only 1 ms, .*Amdahl's limit 2.000 x")
        self.assertRegex(out, r"\n  two +all [ -]+left out: placement `two`: too few stages of this graph may leave the host's processor: 0 of 2\n")
        self.assertNotIn("MODELLED", out)
        self.assertRegex(errors, r"woa-mibench: 4/4 flip coarse: tight, about \d+ s left")
        with open(self.path("results/mibench.csv"), newline="", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.DictReader(file))), len(runs))
        self.check_page()

    def test_json_on_stdout_with_the_machine_of_the_paper(self):
        self.write("flip/program.yaml", PROGRAM + "paper: sha\n")
        out, errors = self.experiment("--json", "--variants", "coarse")
        self.assertEqual(json.loads(out), self.results())
        self.assertEqual(len(self.results()["axel"]["rows"]), 4 * 5)
        self.assertIn("Axel, each program, grain, coupling and capacity", [bar["what"] for bar in self.results()["bars"]])
        self.assertIn("3/4 Axel: flip fine", errors)

    def test_bars_of_the_runtimes_own_time(self):
        """A loop of 1,000 turns: 40 ns of kernels and 2 packets each; 50 ns a packet in one controller, 150 ns between two."""
        sys.path.insert(0, os.path.join(harness.SOURCE, "bench/mibench/experiment"))
        import bars  # pylint: disable=import-outside-toplevel
        kernels = {"turns/queue": {"firings": 1000, "time_s": 10e-9}, "turns/relax": {"firings": 1000, "time_s": 34e-9}, "parse": {"firings": 1, "time_s": 5e-6}}
        loop = {"name": "queue and relax", "kernel_s": 40e-6, "plain_s": 39e-6}
        entry = {"program": "dijkstra", "variant": "fine", "kernels": kernels, "packets": 2000, "source_s": 3e-6,
                 "baseline": {"correct": True, "loops": [loop, dict(loop, name="slow", plain_s=20e-6)]}}
        row = {"program": "dijkstra", "variant": "fine", "coupling": "tight", "model": "woa", "host_state": "near"}
        rows = [dict(row, where="optimum", placement={"queue": "cpu:1", "relax": "cpu:1"}, latency_s=148e-6),
                dict(row, where="pair", placement={"queue": "cpu:0", "relax": "cpu:1"}, latency_s=348e-6, raw_hop_s=40e-9)]
        block = {"program": "sha", "variant": "fine", "kernels": {"block": {"firings": 10, "time_s": 0}},
                 "baseline": {"loops": [{"name": "block, 64 B a turn", "kernel_s": 1e-6, "plain_s": 1e-6}]}}
        results = {"programs": [entry], "runs": rows}
        judged = [(bar["found"], bar["met"]) for bar in [*bars.packets(results), *bars.short_kernels(results), bars.plain(results)]]
        self.assertEqual(judged, [("50 ns at placement `optimum`", True), ("150 ns: 3.75 raw hops of 40 ns (near); the host is not pinned", False),
                                  ("22.0 ns, direct 20.0 ns a firing", True), ("1 of 2: not dijkstra slow 2.00 x", False)])
        for block_ns, met in ((100 + 14, True), (100 + 16, False), (100 - 16, False)):
            block["kernels"]["block"]["time_s"] = block_ns / 1e9
            self.assertEqual([bar["met"] for bar in bars.short_kernels({"programs": [block]})], [met])

    def check_page(self):
        page = read(self.path("results/mibench.html"))
        report = json.loads(re.search(r'<script id="report"[^>]*>(.*?)</script>', page, re.DOTALL).group(1))
        self.assertRegex(report["verdict"], r"^\d+ of \d+ bars are met")
        self.assertEqual(report["sections"][-1]["tables"][0]["title"], "bars")
        charts = [chart["title"] for section in report["sections"] for chart in section["charts"]]
        for title in ("Acceleration over the CPU alone", "Messages of an instance", "Predicted against measured", "Acceleration over grain"):
            self.assertTrue(any(chart.startswith(title) for chart in charts), (title, charts))
        self.assertNotRegex(page, r'(?:src|href)="')  # no network assets
        if browser.missing() is None:
            drawn = browser.ask(self, self.path("results/mibench.html"), "return [...document.querySelectorAll('.chart canvas')].map((one) => one.getAttribute('aria-label'));")
            self.assertEqual(drawn, charts)
        written = read(self.path("results/mibench.csv"))
        os.remove(self.path("results/mibench.csv"))
        subprocess.run([MIBENCH, "report", self.path("results/mibench.json")], check=True, timeout=LIMIT_S)
        self.assertEqual(read(self.path("results/mibench.csv")), written)

    def test_a_page_has_errors_of_any_bytes(self):
        if not harness.shutil.which("cc"):
            self.skip("cc", "this test compiles a kernel")
        os.makedirs(self.path("kernels/odd"))
        self.write("kernels/odd/kernel.yaml", ODD)
        self.write("odd.c", ODD_CODE)
        subprocess.run(["cc", "-shared", "-fPIC", "-I", os.path.join(harness.SOURCE, "include"), "-o", self.path("kernels/odd/libodd.so"), self.path("odd.c")], check=True)
        self.write("odd.yaml", COARSE.replace("invert", "odd"))
        ran = self.woa("run", self.path("odd.yaml"), "--in", "data=bytes:a", "--report", self.path("odd.html"),
                       environment={"WOA_KERNEL_PATH": self.path("kernels")})
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("odd byte \ufffd", read(self.path("odd.html")))

    def test_two_hosts_or_their_loopback(self):
        self.experiment("--variants", "fine", "--models", "woa,rpc-hub", "--placements", "one", couplings="loose")
        results = self.results()
        if any("unavailable" in (row["reason"] or "") or "libfabric" in (row["reason"] or "") for row in results["skipped"]):
            self.skip("ofi", results["skipped"][0]["reason"])
        self.assertEqual([(row["model"], row["messages"], row["correct"]) for row in results["runs"]], [("woa", 3, True), ("rpc-hub", 6, True)])
        (coupling,) = results["couplings"]
        self.assertTrue(coupling["nodes"])
        self.assertTrue(any(note.startswith("measured, loose-cpu0-cpu1: ") for note in coupling["notes"]), coupling)
        self.assertRegex(read(self.path("results/machine-loose-cpu0-cpu1.yaml")), r"latency: \d+ns")

    def test_without_iproute2_there_is_one_host(self):
        """A user without root gets this, too."""
        os.makedirs(self.path("programs"))
        for name in ("python3", "git", "uname"):
            os.symlink(harness.shutil.which(name), self.path("programs/" + name))
        with unittest.mock.patch.dict(os.environ, PATH=self.path("programs")):
            out, _ = self.experiment("--variants", "fine", "--models", "woa", "--placements", "one", couplings="loose")
        if not any("libfabric" in (row["reason"] or "") for row in self.results()["skipped"]):
            self.assertIn("one host and its loopback interface", out)
            self.assertRegex(out, "not two hosts: network namespaces need (root|iproute2); the network is not shaped")
            self.assertEqual([row["correct"] for row in self.results()["runs"]], [True])

    def test_the_machine_of_the_paper(self):
        self.write("flip/program.yaml", PROGRAM + "paper: sha\n")
        self.write("flip/fine.yaml", FINE.replace("two:   {kernel: invert", "two:   {kernel: touch").replace("three: {kernel: invert", "three: {kernel: touch"))
        command = [MIBENCH, "axel", "--from", self.path("flip"), "--data", self.path("data"), "--out", self.path("results")]
        process = self.start(command)
        out, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, errors)
        self.assertRegex(out, r"Axel, each program.*4 of 4 +yes")
        rows = json.loads(read(self.path("results/axel.json")))["rows"]
        self.assertEqual(len(rows), 4 * 5)
        for row in rows:
            self.assertTrue(row["modelled"])
            self.assertLess(row["acceleration"], row["limit"] + 1e-9)
            self.assertIn(row["placement"]["one"], ("cpu:0", "cpu:1"))  # messages between them cost nothing
        woa = {(row["coupling"], row["limited"]): row for row in rows if row["model"] == "woa"}
        for row in woa.values():
            self.assertLessEqual(row["acceleration"], row["without_bytes"] + 1e-9)
            self.assertLessEqual(row["called_per_block"], row["without_bytes"] + 1e-9)
        self.assertEqual([one["reason"] for one in json.loads(read(self.path("results/axel.json")))["skipped"]], ["no stage may leave the CPU"])

    def test_cycles_of_simulated_hardware_are_modelled_time(self):
        if "verilator" not in self.woa("devices", "--json").stdout.decode():
            self.skip("verilator", "built without it")
        with unittest.mock.patch.dict(os.environ, OCL_ICD_VENDORS=self.path("none")):
            out, _ = self.experiment("--variants", "fine", "--models", "woa", "--devices", "--placements", "device")
        (row,) = self.results()["runs"]
        self.assertEqual((row["placement"]["two"], row["time_s"], row["acceleration"]), ("fpga:0", None, None))
        self.assertGreater(row["modelled_time_s"], 0)
        self.assertLess(row["modelled_time_s"], row["predicted_time_s"])  # that has links as well
        self.assertIn("MODELLED", out)

    def test_a_wrong_output_is_said_and_fails(self):
        self.write("data/golden/data", b"something else")
        out, _ = self.experiment("--variants", "coarse", code=1)
        self.assertIn("NO", out)
        self.assertFalse(any(row["correct"] for row in self.results()["runs"]))

    def test_a_wrong_output_of_the_cpu_only_program_is_said_and_fails(self):
        self.write("flip/flip.py", BASELINE.replace("255 - byte", "byte"))
        out, _ = self.experiment("--variants", "coarse", "--models", "woa", code=1)
        self.assertIn("(WRONG OUTPUT)", out)
        self.assertRegex(out, "wrong: flip coarse CPU only")
        self.assertEqual([row["correct"] for row in self.results()["runs"]], [True])

    def test_an_output_that_nothing_is_known_of_is_not_called_wrong(self):
        self.write("flip/program.yaml", PROGRAM.replace("baseline: flip.py\n", "").replace("golden: golden/data, ", ""))
        out, _ = self.experiment("--variants", "coarse", "--models", "woa")
        self.assertEqual([row["correct"] for row in self.results()["runs"]], [None])
        self.assertIn("output data not compared: neither golden data nor a CPU-only program's output", out)

    def test_programs_may_print_any_bytes(self):
        self.write("flip/flip.py", BASELINE + "sys.stdout.flush()\nsys.stderr.buffer.write(b'\\xff\\n')\nsys.exit(3)\n")
        out, _ = self.experiment("--variants", "coarse", "--models", "woa")
        self.assertIn("the CPU-only program failed: \ufffd", out)

    def test_what_is_missing_is_left_out_and_the_rest_goes_on(self):
        os.makedirs(self.path("all/lost"))
        os.rename(self.path("flip"), self.path("all/flip"))
        self.write("all/lost/program.yaml", PROGRAM.replace("flip", "lost").replace("input/data", "input/lost"))
        out, _ = self.experiment("--from", self.path("all"), "--variants", "coarse", "--models", "woa", code=2)
        self.assertEqual(out, "")  # the first --from is no folder any more
        command = [word if word != self.path("flip") else self.path("all") for word in self.command("--variants", "coarse")]
        process = self.start(command)
        out, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("lost: no input/lost in", out)
        self.assertEqual({row["program"] for row in self.results()["runs"]}, {"flip"})

    def test_a_stage_that_fails_is_a_row_with_its_reason(self):
        self.write("flip/coarse.yaml", COARSE.replace("kernel: invert", "kernel: no_such_kernel"))
        out, _ = self.experiment("--models", "woa", "--placements", "one")
        self.assertIn("no_such_kernel", out)
        self.assertEqual({row["variant"] for row in self.results()["runs"]}, {"fine"})

    def test_bad_usage(self):
        os.makedirs(self.path("empty"))
        for words, text in ((["--data", self.path("nowhere")], "is no folder"), (["--data", self.path("empty")], "has none of the programs' inputs"),
                            (["--programs", "sha"], "no program sha"), (["--net", "quick"], "1gbit,25us"), (["--repeat", "0"], "1 at least"),
                            (["--models", "rpc"], "none of woa"), (["--models"], "expected one argument"), (["--placements", "device"], "needs --devices"), (["--machine", self.path("none")], "--machine")):
            out, errors = self.experiment(*words, "--json", code=2)
            self.assertIn(text, errors)
            self.assertIn(text, json.loads(out)["error"]["message"])

    def interrupted(self, number, coupling):
        process = self.start(self.command("--variants", "fine", "--repeat", "100000", couplings=coupling))
        for line in process.stderr:
            if f"flip fine: {coupling}" in line:
                break
        time.sleep(0.3)
        process.send_signal(number)
        out, errors = process.communicate(timeout=LIMIT_S)
        self.nothing_left(process.pid)
        return process.returncode, errors

    def test_ctrl_c_and_sigterm_end_in_order(self):
        for number, coupling in ((signal.SIGINT, "tight"), (signal.SIGTERM, "tight"), (signal.SIGINT, "loose")):
            code, errors = self.interrupted(number, coupling)
            self.assertEqual(code, 128 + number, errors)
            self.assertEqual(self.results()["interrupted"], number.name)

    def test_a_kill_leaves_nothing(self):
        for coupling in ("tight", "loose"):
            self.assertEqual(self.interrupted(signal.SIGKILL, coupling)[0], -signal.SIGKILL)

    def test_ctrl_c_ends_the_study_of_the_papers_machine(self):
        self.write("flip/program.yaml", PROGRAM + "paper: sha\n")
        process = self.start([MIBENCH, "axel", "--from", self.path("flip"), "--data", self.path("data"), "--out", self.path("results")])
        process.stderr.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertIn("ended by SIGINT", errors)
        self.assertEqual(json.loads(read(self.path("results/axel.json")))["interrupted"], "SIGINT")
        self.nothing_left(process.pid)


if __name__ == "__main__":
    harness.main()
