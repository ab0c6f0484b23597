"""woa profile: firings, tokens and bytes are exact, times are there, what is missing is said, and a profile is of one graph."""
import json
import os
import struct

import harness
from harness import SOURCE, WoaTest, read


def graph(name):
    return os.path.join(SOURCE, "graphs", name + ".yaml")


class Profile(WoaTest):
    def profile(self, name, *arguments, code=0, environment=None):
        done = self.woa("profile", name, *arguments, "--json", "--repetitions", "3", environment=environment)
        self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout)

    def tokens(self, profile):
        return {(edge["from"], edge["to"]): (edge["tokens"], edge["bytes"]) for edge in profile["edges"]}

    def check_times(self, profile, samples):
        for stage, entry in profile["stages"].items():
            cpu = entry["on"]["cpu"]
            self.assertGreater(cpu["time_ps"], 0, stage)
            self.assertLess(cpu["time_ps"], 60e12, stage)
            self.assertLessEqual(cpu["outliers"], cpu["samples"])
            self.assertFalse(cpu["simulated"])
            self.assertEqual(cpu["samples"], samples[stage])
            if len(os.sched_getaffinity(0)) > 1:  # and no quota: else nothing runs beside it
                self.assertGreater(cpu["busy_ps"], 0)
                self.assertGreater(cpu["busy_workers"], 1)

    def inputs(self, *payloads):
        os.mkdir(self.path("in"))
        for number, payload in enumerate(payloads):
            self.write(f"in/{number}", payload)
        return self.path("in")


class Measured(Profile):
    def test_a_loop_is_counted_turn_by_turn(self):
        for processes in ("one", "per-controller"):
            got = self.profile(graph("loop"), "--in", "n=" + self.write("n", struct.pack("<q", 10)), "--processes", processes)
            self.assertEqual(got["stages"]["count"]["firings"], 11)
            self.assertEqual(self.tokens(got), {("source.n", "count.n"): (1, 8), ("count.again", "count.n"): (10, 8),
                                                ("count.done", "sink.zero"): (1, 8)})
            self.check_times(got, {"count": 33})
            self.assertGreater(got["source_ps"], 0)
            self.assertLess(got["source_ps"], 60e12)

    def test_branches_are_counted_over_all_inputs(self):
        # Odd ones go through `flip`, of 100 and of 300 bytes; the even one does not.
        inputs = self.inputs(b"\1" + bytes(99), b"\1" + bytes(299), b"\2" + bytes(499), b"\1" + bytes(299))
        got = self.profile(graph("branch"), "--in", "data=" + inputs)
        self.assertEqual(got["inputs"], 4)
        self.assertEqual({name: entry["firings"] for name, entry in got["stages"].items()}, {"route": 1, "flip": 0.75})
        self.assertEqual(self.tokens(got), {("source.data", "route.data"): (1, 300), ("route.odd", "flip.data"): (0.75, 300),
                                            ("route.even", "sink.result"): (0.25, 500), ("flip.data", "sink.result"): (0.75, 300)})
        self.check_times(got, {"route": 12, "flip": 9})
        flip = got["stages"]["flip"]["on"]["cpu"]
        self.assertEqual([(size["read"], size["written"], size["samples"]) for size in flip["sizes"]], [(100, 100, 3), (300, 300, 6)])
        self.assertEqual(set(flip["fit"]), {"over", "base_ps", "ps_per_kib", "residual"})

    def test_an_output_that_two_read_is_two_edges(self):
        got = self.profile(graph("fanout"), "--in", "data=" + self.write("x", bytes(1000)))
        tokens = self.tokens(got)
        for reader in ("left", "middle", "right"):
            self.assertEqual(tokens[("source_copy.data", reader + ".data")], (1, 1000))
        size = got["stages"]["source_copy"]["on"]["cpu"]["sizes"][0]
        self.assertEqual((size["read"], size["written"]), (1000, 1000))

    def test_a_held_token_is_one_whatever_the_turns_that_it_is_held_for(self):
        numbers = struct.pack("<Q", 3) + bytes(56) + struct.pack("<3d", 2, 4, 9)
        got = self.profile(graph("hold"), "--in", "x=" + self.write("x", numbers), "--in", "f=" + self.write("f", numbers))
        turns = got["stages"]["step"]["firings"]
        self.assertGreater(turns, 1)
        self.assertEqual({ends: count for ends, (count, _) in self.tokens(got).items()},
                         {("source.x", "step.x"): 1, ("source.f", "step.f"): 1, ("step.again", "step.x"): turns - 1,
                          ("step.done", "sink.roots"): 1})
        self.check_times(got, {"step": 3 * turns})

    def test_a_branch_not_taken_has_none(self):
        got = self.profile(graph("branch"), "--in", "data=" + self.write("even", b"\2"))
        self.assertEqual(self.tokens(got)[("route.odd", "flip.data")], (0, 0))
        self.assertEqual(got["stages"]["flip"]["firings"], 0)
        self.assertIn("did not fire", got["stages"]["flip"]["on"]["cpu"]["missing"])
        self.assertIn("branch", got["stages"]["flip"]["on"]["cpu"]["fix"])

    def test_elements_of_a_scatter_are_tokens_and_replicas_are_one_stage(self):
        # Two of three lines have the text: the third leaves its output out, which is a token all the same.
        log = self.write("log", b"an error\nfine\nerror two\n")
        got = self.profile(graph("scatter"), "--in", "log=" + log)
        self.assertEqual({name: entry["firings"] for name, entry in got["stages"].items()}, {"cut": 1, "match": 3, "paste": 1})
        self.assertEqual({ends: tokens for ends, (tokens, bytes_) in self.tokens(got).items()}, {
            ("source.log", "cut.data"): 1, ("cut.line", "match.data"): 3, ("match.line", "paste.lines"): 3,
            ("paste.data", "sink.errors"): 1})
        cut = got["stages"]["cut"]["on"]["cpu"]["sizes"][0]
        self.assertEqual((cut["read"], cut["written"]), (24, 8 + 4 + 9))
        self.check_times(got, {"cut": 3, "match": 9, "paste": 3})
        del got["ok"]
        name = self.write("scatter.profile.json", json.dumps(got))
        self.assertEqual(self.woa("check", graph("scatter"), "--profile", name).returncode, 0)

    def test_each_of_several_replicas_counts(self):
        got = self.profile(graph("replicas"), "--in", "data=" + self.inputs(bytes(100), bytes(100)))
        self.assertEqual({name: entry["firings"] for name, entry in got["stages"].items()}, {"flip": 1, "back": 1, "both": 1})
        self.assertEqual(self.tokens(got)[("flip.data", "back.data")], (1, 100))
        pair = self.write("pair.yaml", "woa: 1\ngraph: pair\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
                          "  both: {kernel: join2, in: {a: data, b: data}, replicas: 2}\noutputs: {y: both.data}\n")
        got = self.profile(pair, "--in", "data=" + self.write("one", b"x"))
        self.assertIn("kernel 'join2' has no variant `opencl`", got["stages"]["both"]["on"]["gpu"]["missing"])

    def test_an_absent_token_is_one_without_payload(self):
        got = self.profile(graph("optional"), "--in", "log=" + self.write("log", b"fine\n"))
        tokens = self.tokens(got)
        self.assertEqual(tokens[("find.line", "say.data")], (1, 0))
        self.assertEqual(tokens[("find.line", "sink.error")], (1, 0))

    def test_what_could_not_be_measured_says_why_and_what_to_do(self):
        got = self.profile(graph("loop"), "--in", "n=" + self.write("n", struct.pack("<q", 3)))
        for kind, variant in (("gpu", "opencl"), ("fpga", "rtl")):
            entry = got["stages"]["count"]["on"][kind]
            self.assertIn("count_down", entry["missing"])
            self.assertIn(variant, entry["missing"])
            self.assertIn("kernel.yaml", entry["fix"])
            self.assertNotIn("time_ps", entry)

    def devices(self, environment=None):
        """By kind, the row of the first back-end, which measures the kind."""
        rows = json.loads(self.woa("devices", "--json", environment=environment).stdout)["devices"]
        return {row["kind"]: row for row in reversed(rows)}

    def test_kinds_that_are_not_here_say_what_is_missing(self):
        # OpenCL, which is the first back-end of its kind, finds no driver the second time.
        for environment in ({}, {"OCL_ICD_VENDORS": self.path("none")}):
            devices = self.devices(environment)
            self.assertFalse(environment and devices["gpu"]["available"])
            got = self.profile(graph("hello"), "--in", "text=" + self.write("x", bytes(4000)), environment=environment)
            for kind in ("gpu", "fpga"):
                entry = got["stages"]["first"]["on"][kind]
                if devices[kind]["available"]:
                    self.assertEqual(entry["simulated"], devices[kind]["simulated"])
                    self.assertGreater(entry["time_ps"], 0)
                else:
                    self.assertEqual(entry["missing"], devices[kind]["reason"])
                    self.assertIn("woa devices", entry["fix"])

    def test_a_simulated_fpga_contributes_cycles_at_its_clock(self):
        devices = self.devices()
        if not devices["fpga"]["available"]:
            self.skip("verilator", devices["fpga"]["reason"])
        inputs = self.inputs(bytes(8000), bytes(16000), bytes(32000))
        got = self.profile(graph("hello"), "--in", "text=" + inputs)
        entry = got["stages"]["second"]["on"]["fpga"]
        self.assertTrue(entry["simulated"])
        self.assertEqual(entry["clock_mhz"], 250)
        self.assertEqual(entry["time_ps"], entry["cycles"] * 4000)
        self.assertGreater(entry["wall_ps"], entry["time_ps"])
        # 8 bytes a cycle, every time alike: 128 cycles a KiB.
        self.assertEqual([size["mad_ps"] for size in entry["sizes"]], [0, 0, 0])
        self.assertEqual(entry["outliers"], 0)
        self.assertAlmostEqual(entry["fit"]["ps_per_kib"], 128 * 4000, delta=4000)
        self.assertLess(entry["fit"]["residual"], 0.01)


class Written(Profile):
    def test_a_profile_is_read_by_those_who_compile_and_only_for_its_graph(self):
        name = self.path("hello.profile.json")
        done = self.woa("profile", graph("hello"), "--in", "text=" + self.write("x", b"hello"), "-o", name, "--repetitions", "3")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        for text in ("AN INSTANCE", "OUTLIERS", "first.data -> second.data", "written to " + name):
            self.assertIn(text, done.stdout.decode())
        self.assertEqual([line for line in done.stdout.decode().splitlines() if line != line.rstrip()], [])
        self.assertRegex(done.stdout.decode().splitlines()[1], r"^  on cpu: (first|second) takes [0-9.]+ [num]?s of the [0-9.]+ [num]?s of an instance's kernels$")
        written = json.loads(read(name))
        self.assertEqual(list(written)[:3], ["woa_profile", "graph", "graph_hash"])
        for command in (("check",), ("explain",), ("compile", "-o", self.path("p"))):
            self.assertEqual(self.woa(*command, graph("hello"), "--profile", name).returncode, 0)
        line = read(name).split("\n").index(f' "graph_hash": "{written["graph_hash"]}",') + 1
        for command in ("check", "explain", "compile"):
            self.refused(self.woa(command, graph("loop"), "--profile", name), 1, f"{name}:{line}:", "E0801", "`hello`", "woa profile")
        self.refused(self.woa("explain", self.path("p"), "--profile", name), 2, "--profile", "compile the graph again")
        self.refused(self.woa("check", graph("hello"), "--profile", self.path("absent")), 1, "E0101")
        self.assertEqual(json.loads(self.woa("check", graph("hello"), "--json").stdout)["graph_hash"], json.loads(read(name))["graph_hash"])

    def test_pins_and_comments_may_change_and_stages_may_not(self):
        name = self.path("p.json")
        self.woa("profile", graph("hello"), "--in", "text=" + self.write("x", b"hello"), "-o", name, "--repetitions", "1")
        text = read(graph("hello"))
        same = self.write("same.yaml", text.replace('on: "cpu:1"', "on: cpu") + "# a comment\nwindow: 3\n")
        self.assertEqual(self.woa("check", same, "--profile", name).returncode, 0)
        other = self.write("other.yaml", text.replace("second", "last"))
        self.refused(self.woa("check", other, "--profile", name), 1, "E0801", "has no stage `last`")
        invert = self.write("invert.yaml", text.replace("second: {kernel: copy", "second: {kernel: invert"))
        self.refused(self.woa("check", invert, "--profile", name), 1, "E0801", "have changed since")

    def test_refusals(self):
        text = self.write("x", b"hello")
        plan = self.path("hello.plan")
        self.assertEqual(self.woa("compile", graph("hello"), "-o", plan).returncode, 0)
        self.refused(self.woa("profile", plan, "--in", "text=" + text), 2, "graph")
        self.refused(self.woa("profile", graph("hello")), 2, "'text' has no data")
        self.refused(self.woa("profile", graph("hello"), "--in", "text=" + self.path("absent")), 1, "absent")
        self.refused(self.woa("profile", graph("hello"), "--in", "text=" + text, "-o", self.path("no/such")), 1, "does not exist: mkdir -p")
        self.refused(self.woa("profile", self.path("absent.yaml"), "--in", "text=" + text), 1, "E0101")
        failing = self.write("fail.yaml", "woa: 1\ngraph: f\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
                             "  s: {kernel: fail_if, in: {data: data}, params: {byte: 104}}\noutputs: {y: s.data}\n")
        self.refused(self.woa("profile", failing, "--in", "data=" + text), 1, "stage 's'", "fails with these inputs")
        done = self.woa("profile", failing, "--in", "data=" + text, "--json")
        self.assertFalse(json.loads(done.stdout)["ok"])


if __name__ == "__main__":
    harness.main()
