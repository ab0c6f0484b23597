"""Bad input: a clear error, the right exit code, nothing lost, nothing hung."""
import json
import os

import harness
from harness import SOURCE, WoaTest, read

HELLO = os.path.join(SOURCE, "graphs/hello.yaml")
GOOD = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
        "  one: {kernel: copy, in: {data: data}, on: 'cpu:0'}\n  two: {kernel: copy, in: {data: one.data}, on: 'cpu:1'}\n"
        "outputs: {data: two.data}\n")


class BadGraphs(WoaTest):
    def check(self, text, *expected):
        done = self.woa("check", self.write("bad.yaml", text))
        self.refused(done, 1, "bad.yaml", *expected)

    def test_the_good_one_is_good(self):
        self.assertEqual(self.woa("check", self.write("good.yaml", GOOD)).returncode, 0)

    def test_yaml(self):
        self.check(GOOD + "colour: red\n", "error[", "colour")
        self.check(GOOD + "graph: again\n", "error[", "graph")
        self.check("", "error[")
        self.check(b"\x00\x01\xff\xfe junk \x00", "error[")
        self.check(GOOD + "---\n" + GOOD, "error[")
        self.check("a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
            f"{chr(98 + k)}: &{chr(98 + k)} [{', '.join(['*' + chr(97 + k)] * 9)}]\n" for k in range(9)), "error[")
        self.check("woa: 1\n" + "# filler\n" * (10 * 1024 * 1024 // 9), "error[")

    def test_graph(self):
        self.check(GOOD.replace("kernel: copy, in: {data: data}", "kernel: coppy, in: {data: data}"), "coppy", "copy")
        self.check(GOOD.replace("one.data", "one.dta"), "one", "data")
        self.check(GOOD.replace("in: {data: one.data}", "in: {}"), "two", "data")
        self.check(GOOD.replace("in: {data: data}", "in: {data: two.data}"), "loop")
        self.check(GOOD.replace("cpu:1", "gpux"), "gpux")
        self.check(GOOD.replace("kernel: copy, in: {data: one.data}, on: 'cpu:1'", "kernel: join2, in: {a: one.data, b: one.data}, on: fpga"),
                   "fpga")
        self.check(GOOD.replace("outputs: {data: two.data}", "outputs: {data: one.data}"), "two")
        self.check(GOOD.replace("kernel: copy, in: {data: one.data}", "kernel: sharpen3x3, in: {image: one.data}"), "bytes")


class BadPlans(WoaTest):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.woa("compile", HELLO, "-o", self.path("hello.plan")).returncode, 0)
        with open(self.path("hello.plan"), "rb") as file:
            self.plan = file.read()

    def check(self, data, *expected):
        plan = self.write("bad.plan", data)
        self.refused(self.woa("run", plan, "--in", "text=" + plan), 1, *expected)

    def test_truncated_corrupted_newer(self):
        self.check(self.plan[:len(self.plan) // 2], "error[invalid]")
        self.check(self.plan[:20], "error[invalid]")
        self.check(self.plan[:-3] + bytes((self.plan[-3] ^ 4,)) + self.plan[-2:], "error[invalid]")
        self.check(self.plan[:8] + bytes((99,)) + self.plan[9:], "99")


class BadUsage(WoaTest):
    def test_usage_is_exit_code_2(self):
        text = self.write("text", "x")
        for arguments in (["run", HELLO], ["run", HELLO, "--in", "nope=" + text], ["run", HELLO, "--in", "text=" + text, "--in", "text=" + text],
                          ["run", HELLO, "--in", "text=" + text, "--model", "telepathy"], ["run"], ["fly"], [],
                          ["run", HELLO, "--in", "text=" + text, "--out", "nope=" + self.path("x")],
                          ["run", HELLO, "--in", "text=" + text, "--window", "65"],
                          ["run", HELLO, "--in", "text=" + text, "--deadline", "soon"]):
            self.refused(self.woa(*arguments), 2)

    def test_with_json_every_failure_is_one_object(self):
        text, plan = self.write("text", "x"), self.path("hello.plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan, "--window", "2").returncode, 0)
        wrong = self.write("wrong.yaml", GOOD.replace("copy", "coppy"))
        far = self.write("far.yaml", GOOD.replace("'cpu:1'", "'gpu:7'"))
        for code, arguments in ((2, ["run", HELLO]), (2, ["run", HELLO, "--window", "65"]), (2, ["run", HELLO, "--in", "nope=" + text]),
                                (2, ["run", plan, "--in", "text=" + text, "--machine", text]),
                                (2, ["run", plan, "--in", "text=" + text, "--window", "3"]),
                                (1, ["run", HELLO, "--in", "text=" + self.path("absent")]), (1, ["check", wrong]), (1, ["run", wrong]),
                                (1, ["compile", HELLO, "-o", self.path("absent/plan")]), (1, ["check", self.path("absent.yaml")]),
                                (3, ["run", far, "--in", "data=" + text])):
            done = self.woa(*arguments, "--json")
            self.refused(done, code)
            answer = json.loads(done.stdout)
            self.assertFalse(answer["ok"], arguments)
            self.assertTrue(answer.get("error") or answer["diagnostics"], arguments)

    def test_files_that_cannot_serve_are_refused_before_the_run(self):
        text = self.write("text", "keep me")
        os.mkfifo(self.path("pipe"))
        os.mkdir(self.path("in"))
        self.write("in/7", "keep me too")
        run = ("run", HELLO, "--in")
        self.refused(self.woa(*run, "text=" + self.path("pipe")), 1, "pipe")
        self.refused(self.woa(*run, "text=/dev/zero"), 1, "device")
        self.refused(self.woa(*run, "text=" + text, "--out", "copy=" + text), 2, "overwrite")
        self.refused(self.woa(*run, "text=" + self.path("in"), "--out", "copy=" + self.path("in/%i")), 2, "overwrite")
        self.refused(self.woa(*run, "text=" + text, "--out", "copy=" + self.path("absent/%i")), 1, "absent")
        self.refused(self.woa(*run, "text=" + text, "--out", "copy=" + self.path("in")), 1, "cannot write")
        self.assertEqual((read(text), read(self.path("in/7"))), ("keep me", "keep me too"))

    def test_an_earlier_result_outlives_a_run_that_cannot_start(self):
        out = self.write("out", "earlier")
        far = self.write("far.yaml", GOOD.replace("'cpu:1'", "'gpu:7'"))
        self.refused(self.woa("run", far, "--in", "data=" + self.write("x", "x"), "--out", "data=" + out), 3)
        self.assertEqual(read(out), "earlier")

    def test_a_result_that_cannot_be_written_ends_the_run(self):
        text = self.write("text", "x" * 1000)
        self.refused(self.woa("run", HELLO, "--in", "text=" + text, "--out", "copy=/dev/full", "--instances", "100"), 1, "/dev/full")

    def test_an_unknown_command_is_named(self):
        self.refused(self.woa("fly"), 2, "'fly'", "--help")

    def test_help_lists_only_what_works(self):
        done = self.woa("--help")
        self.assertEqual(done.returncode, 0)
        text = done.stdout.decode()
        listed = [line.split()[0] for line in text.split("Subcommands:")[1].splitlines() if line.strip()]
        self.assertEqual(sorted(listed), ["bench", "calibrate", "check", "compare", "compile", "devices", "explain", "node", "profile",
                                          "run", "verify"])
        for command in listed:
            self.assertEqual(self.woa(command, "--help").returncode, 0, command)

    def test_an_absent_device_is_exit_code_3(self):
        graph = self.write("far.yaml", GOOD.replace("'cpu:1'", "'gpu:7'"))
        self.refused(self.woa("run", graph, "--in", "data=" + self.write("x", "x")), 3, "gpu:7")

    def test_a_secret_is_refused_on_the_command_line(self):
        done = self.woa("run", os.path.join(SOURCE, "graphs/encrypt.yaml"), "--in", "plain=" + self.write("x", "x"), "--param",
                        "encrypt.key=" + "ab" * 32)
        self.assertIn(done.returncode, (1, 2))
        self.assertIn("WOA_AES_KEY", done.stderr.decode())
        self.assertNotIn("abab", done.stderr.decode())

    def test_too_large_an_input_fails_its_instance(self):
        result = self.run_json(self.write("good.yaml", GOOD), "--in", "data=" + self.write("big", "x" * 65), code=1)
        self.assertEqual(result["failures"][0]["code"], "too_large")


class ManyInstances(WoaTest):
    def test_three_adjacent_failures_among_1100(self):
        graph = self.write("g.yaml", GOOD.replace("two: {kernel: copy, in: {data: one.data}", "two: {kernel: fail_if, in: {data: one.data}, params: {byte: 33}"))
        os.mkdir(self.path("in"))
        for number in range(1100):
            self.write(f"in/{number:05}", ("!" if number in (500, 501, 502) else "x") + str(number))
        result = self.run_json(graph, "--in", "data=" + self.path("in"), "--window", "8", "--out", "data=" + self.path("out"), code=1)
        self.assertEqual(sorted(failure["instance"] for failure in result["failures"]), [500, 501, 502])
        with open(self.path("out")) as file:
            self.assertEqual(file.read(), "".join(f"x{k}" for k in range(1100) if k not in (500, 501, 502)))


if __name__ == "__main__":
    harness.main()
