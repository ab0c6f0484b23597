"""Bad input: a clear error, the right exit code, nothing lost, nothing hung."""
import json
import os
import shutil
import subprocess

import harness
from harness import SANITIZED, SOURCE, WoaTest, read

HELLO = os.path.join(SOURCE, "graphs/hello.yaml")
GOOD = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
        "  one: {kernel: copy, in: {data: data}, on: 'cpu:0'}\n  two: {kernel: copy, in: {data: one.data}, on: 'cpu:1'}\n"
        "outputs: {data: two.data}\n")


class BadGraphs(WoaTest):
    def check(self, text, *expected):
        done = self.woa("check", self.write("bad.yaml", text))
        self.refused(done, 1, "bad.yaml", *expected)

    def test_the_good_one_is_good(self):
        done = self.woa("check", self.write("good.yaml", GOOD))
        self.assertEqual((done.returncode, done.stdout.decode()), (0, "g: ok: 2 stages on 2 controllers\n"))
        one = GOOD.replace("  two: {kernel: copy, in: {data: one.data}, on: 'cpu:1'}\n", "").replace("two.data", "one.data")
        self.assertEqual(self.woa("check", self.write("one.yaml", one)).stdout.decode(), "g: ok: 1 stage on 1 controller\n")

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
        self.check(GOOD.replace("kernel: copy, in: {data: one.data}, on: 'cpu:1'", "kernel: touch, in: {data: one.data}, on: fpga"),
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

    def test_what_would_never_end_is_not_read(self):
        os.mkfifo(self.path("pipe"))
        with open(self.path("large"), "wb") as file:
            file.write(self.plan[:8])
            file.truncate(3 << 30)  # sparse
        for name, reason in (("/dev/zero", "device"), (self.path("pipe"), "pipe"), (SOURCE, "folder"), (self.path("large"), "version 0")):
            for command in (("verify",), ("check",), ("explain",), ("run", "--in", "text=" + HELLO)):
                with self.subTest(name, command=command):
                    self.refused(self.woa(command[0], name, *command[1:]), 1, "error[", reason)
        for option in ("--machine", "--profile"):
            self.refused(self.woa("check", HELLO, option, self.path("pipe")), 1, "E0101", "it is a pipe")

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
                          ["run", HELLO, "--in", "text=" + text, "--window", "4097"],
                          ["run", HELLO, "--in", "text=" + text, "--deadline", "soon"]):
            self.refused(self.woa(*arguments), 2)

    def test_what_is_refused_is_said_and_what_is_like_it(self):
        for arguments, text in ((["run", HELLO, "--instances", "0"], "--instances: expected a whole number from 1 on, got '0'"),
                                (["run", HELLO, "--window", "1.5"], "--window: expected a whole number from 1 to 4096, got '1.5'"),
                                (["run", HELLO, "--deadline", "5"], "--deadline: expected a whole number from 1 on and its unit, ns, us, ms, s or min, at most 525600min, got '5'"),
                                (["run", HELLO, "--model", "woa", "--model", "woa"], "--model: it is given more than once; see `woa run --help`"),
                                (["check", HELLO, "--json=3"], "--json: it takes no value; see `woa check --help`"),
                                (["run", HELLO, "--window"], "--window: its value is missing; see `woa run --help`"), (["bench"], "a command is missing; see `woa bench --help`"),
                                (["compile", HELLO, "--profile", "p.json", "--max-price", "-1"], "--max-price: expected a whole number from 0 to 1125899906842623, got '-1'"),
                                (["compile", HELLO, "--profile", "p.json", "--max-price", "18446744073709551615"], "--max-price: expected a whole number from 0 to"),
                                (["compile", HELLO, "--profile", "p.json", "--max-power", "18446744073709kW"], "mW, W or kW, at most 1125899906kW, got"),
                                (["compile", HELLO, "--profile", "p.json", "--max-period", "1300s"], "ns, us, ms or s, at most 1125s, got '1300s'"),
                                (["compile", HELLO, "--profile", "p.json", "--placement-limit", "200000000min"], "--placement-limit: expected a whole number"),
                                (["explain", HELLO, "--reasons-limit", "153722867min"], "--reasons-limit: expected a whole number"),
                                (["bench", "packing", "--block", "0"], "--block: expected a number of bytes from 64 to 1073741824, such as 64, 4KiB or 1MiB, got '0'"),
                                (["run", HELLO, "--deadline", "0s"], "at most 525600min, got '0s'"),
                                (["run", HELLO, "--deadline", "525601min"], "at most 525600min, got '525601min'"),
                                (["profile", HELLO, "--seconds", "-1"], "--seconds: expected a whole number from 1 on, got '-1'"),
                                (["bench", "idle", "--seconds", "nan"], "--seconds: expected a number above 0, got 'nan'"),
                                (["run", HELLO, "--nodes", "1", "--port", "65536"], "--port: expected a whole number from 1 to 65535, got '65536'"),
                                (["run", HELLO, "--modle", "woa"], "there is no option '--modle'; did you mean '--model'? see `woa run --help`"),
                                (["check", HELLO, "more"], "'more' is one argument too many"), (["chek"], "did you mean 'check'?"),
                                (["bench", "hopp"], "there is no command 'hopp'; did you mean 'hop'? `woa bench --help`"),
                                (["bench", "bandwidth", "--size", "1QB"], "expected a number of bytes from 1 on, such as 64, 4KiB or 1MiB, got '1QB'")):
            done = self.woa(*arguments)
            self.refused(done, 2)
            self.assertIn(text, done.stderr.decode())

    def test_every_option_reads_numbers_as_decimal(self):
        """Nothing reads 010 as 8, takes hexadecimal numbers, or leaves the number to a library that does."""
        commands = [[name] for name in ("run", "compile", "profile", "compare", "calibrate", "node")]
        commands += [["bench", name] for name in ("hop", "bandwidth", "idle", "compile")]
        if SANITIZED:  # one reader serves them all
            commands = [["compare"], ["bench", "hop"]]
        asked = 0
        for command in commands:
            text = self.woa(*command, "--help").stdout.decode()
            for option in ("--instances", "--window", "--nodes", "--port", "--wait", "--repetitions", "--copies", "--count", "--size",
                           "--seconds", "--slots", "--stages", "--controllers", "--graphs"):
                if option + " " not in text:
                    continue
                asked += 1
                for wrong in ("0x10", "0o10", "1_0", " 10"):
                    self.assertIn(f"{option}: expected a", self.woa(*command, option, wrong).stderr.decode())
                said = {number: self.woa(*command, option, number, "--no-such-option").stderr.decode() for number in ("8", "10")}
                for number, alike in (("8", ("08", "+8", "8.0")), ("10", ("010", "+0010", "1e1"))):
                    self.assertNotIn("Could not convert", said[number])
                    for other in alike:
                        error = self.woa(*command, option, other, "--no-such-option").stderr.decode()
                        self.assertEqual(error.replace(f"'{other}'", f"'{number}'"), said[number])
        self.assertGreater(asked, 4 if SANITIZED else 15)

    def test_nothing_is_given_by_an_empty_text(self):
        """The shell gives an empty text for a variable that is not set; that differs from leaving the option out."""
        run = ["run", HELLO, "--in", "text=" + self.write("text", "x")]
        for arguments, name in ((run + ["--trace", ""], "--trace"), (run + ["--machine", ""], "--machine"), (["compile", HELLO, "-o", ""], "--output"),
                                (["verify", ""], "PLAN"), (["check", ""], "GRAPH|PLAN"), (["bench", "hop", "--plot", ""], "--plot")):
            self.refused(self.woa(*arguments), 2, name + ": expected something, got an empty text")
        self.refused(self.woa(*run, "--out", "copy="), 2, "--out copy=: expected NAME=FILE")

    def test_a_provider_that_nothing_goes_over_is_refused(self):
        text = self.write("text", "x")
        for arguments in (["run", HELLO, "--in", "text=" + text], ["bench", "hop"], ["bench", "fanout"], ["bench", "randomaccess"]):
            self.refused(self.woa(*arguments, "--provider", "tcp;ofi_rxm"), 2, "--provider: it is libfabric's", "add --transport ofi")

    def test_control_characters_do_not_reach_the_terminal(self):
        for arguments in (["check", "\x1b[31m"], ["verify", "\x1b[31m"], ["check", HELLO, "--\x1b[31m"], ["\x1b[31m"]):
            error = self.woa(*arguments).stderr
            self.assertIn(b"?[31m", error)
            self.assertNotIn(b"\x1b", error)
        for given, shown in ((b"\xc2\x9b31m", b"?31m"), (b"\xe0\x82\x9b31m", b"???31m"), (b"\x9b31m", b"?31m"),
                             ("\u202e31m".encode(), b"?31m"), ("\u2067\u200f31m".encode(), b"??31m")):  # what ESC [ is, in three ways
            for arguments in (["check", given], ["verify", given], ["check", HELLO, b"--" + given], [given]):
                error = self.woa(*arguments).stderr
                self.assertIn(shown, error)
                self.assertNotIn(given, error)

    def test_control_characters_in_warnings_do_not_reach_the_terminal(self):
        """Paths in a plan may be any."""
        folder, plan = self.path("\x1b[31m"), self.path("k.plan")
        shutil.copytree(os.path.join(SOURCE, "graphs/user-kernel"), folder)
        for built in os.listdir(os.path.join(folder, "threshold")):
            if built.endswith(".so"):
                os.remove(os.path.join(folder, "threshold", built))
        done = self.woa("compile", os.path.join(folder, "graph.yaml"), "-o", plan)
        self.refused(done, 0, "warning[E0208]: kernel `threshold` cannot run here: ", "?[31m")
        self.assertNotIn(b"\x1b", done.stderr)
        done = self.woa("check", plan)
        self.refused(done, 0, "warning[E0208]: this cannot run here: ", "?[31m")
        self.assertNotIn(b"\x1b", done.stderr)

    def test_a_kernel_that_is_not_built_is_told_where_the_graph_is_checked(self):
        """It may be built where it runs; here it cannot."""
        folder = os.path.join(self.folder, "user-kernel")
        shutil.copytree(os.path.join(SOURCE, "graphs/user-kernel"), folder)
        for built in os.listdir(os.path.join(folder, "threshold")):
            if built.endswith(".so"):
                os.remove(os.path.join(folder, "threshold", built))
        graph, plan = os.path.join(folder, "graph.yaml"), self.path("k.plan")
        in_graph = (graph + ":", "warning[E0208]: kernel `threshold` cannot run here: there is no ", "libthreshold.so`", "fix: build the kernel")
        absent = "stage 'mark', kernel 'threshold': its library ", "libthreshold.so is not there: build the kernel"
        in_plan = (plan + ": warning[E0208]: this cannot run here: ", *absent)
        log = self.path("log.sarif")
        for arguments, texts in ((["check", graph], in_graph), (["compile", graph, "-o", plan], in_graph), (["check", plan], in_plan),
                                 (["compile", plan], in_plan)):
            with self.subTest(arguments):
                done = self.woa(*arguments, "--json")
                self.refused(done, 0, *texts)
                told, = json.loads(done.stdout)["diagnostics"]
                self.assertEqual((told["code"], told["severity"], told["line"] != 0), ("E0208", "warning", texts is in_graph))
        self.assertEqual(self.woa("check", graph, "--sarif", log).returncode, 0)
        self.assertEqual(json.loads(read(log))["runs"][0]["results"][0]["level"], "warning")
        self.refused(self.woa("run", plan, "--in", "data=" + self.write("data", "x")), 1, *absent)

    def test_with_json_every_failure_is_one_object(self):
        text, plan = self.write("text", "x"), self.path("hello.plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan, "--window", "2").returncode, 0)
        wrong = self.write("wrong.yaml", GOOD.replace("copy", "coppy"))
        far = self.write("far.yaml", GOOD.replace("'cpu:1'", "'gpu:7'"))
        for code, arguments in ((2, ["run", HELLO]), (2, ["run", HELLO, "--window", "4097"]), (2, ["run", HELLO, "--in", "nope=" + text]),
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
        self.refused(self.woa(*run, "text=" + self.path("pipe")), 2, "--frames")
        self.refused(self.woa(*run, "text=/dev/zero"), 2, "--frames")
        self.refused(self.woa(*run, "text=" + text, "--out", "copy=" + text), 2, "overwrite")
        self.refused(self.woa(*run, "text=" + self.path("in"), "--out", "copy=" + self.path("in/%i")), 2, "overwrite")
        self.refused(self.woa(*run, "text=" + text, "--out", "copy=" + self.path("absent/%i")), 1, "absent")
        self.refused(self.woa(*run, "text=" + text, "--out", "copy=" + self.path("in")), 1, "cannot write")
        out = self.path("none of it")
        self.refused(self.woa(*run, "text=" + text, "--out", "copy=" + out, "--trace", self.path("absent/trace")), 1, "absent/trace: folder '" + self.path("absent") + "' does not exist: mkdir -p")
        self.assertFalse(os.path.exists(out))
        self.assertEqual((read(text), read(self.path("in/7"))), ("keep me", "keep me too"))

    def test_an_earlier_result_outlives_a_run_that_cannot_start(self):
        out = self.write("out", "earlier")
        far = self.write("far.yaml", GOOD.replace("'cpu:1'", "'gpu:7'"))
        self.refused(self.woa("run", far, "--in", "data=" + self.write("x", "x"), "--out", "data=" + out), 3)
        self.assertEqual(read(out), "earlier")

    def test_a_result_that_cannot_be_written_ends_the_run(self):
        text = self.write("text", "x" * 1000)
        self.refused(self.woa("run", HELLO, "--in", "text=" + text, "--out", "copy=/dev/full", "--instances", "100"), 1, "/dev/full")

    def test_an_answer_that_is_lost_is_a_failure(self):
        plan = self.path("hello.plan")
        for arguments in (["devices"], ["devices", "--json"], ["check", HELLO], ["compile", HELLO, "-o", plan], ["verify", plan]):
            for stdout in (">/dev/full", ">&-"):
                done = subprocess.run(["sh", "-c", '"$@" ' + stdout, "sh", harness.WOA, *arguments], stderr=subprocess.PIPE, timeout=harness.LIMIT_S)
                self.refused(done, 1, "cannot write the result to stdout")
        self.assertEqual(self.woa("verify", plan).returncode, 0)  # nothing was printed into it

    def test_an_unknown_command_is_named(self):
        self.refused(self.woa("fly"), 2, "'fly'", "--help")

    def test_help_lists_only_what_works(self):
        done = self.woa("--help")
        self.assertEqual(done.returncode, 0)
        text = done.stdout.decode()
        listed = [line.split()[0] for line in text.split("Subcommands:")[1].splitlines() if line.strip()]
        self.assertEqual(sorted(listed), ["bench", "calibrate", "check", "compare", "compile", "devices", "doctor", "explain", "help", "lsp",
                                          "new-kernel", "node", "profile", "run", "verify"])
        for command in listed:
            done = self.woa(command, "--help")
            self.assertEqual(done.returncode, 0, command)
            self.assertRegex(done.stdout.decode(), rf"(?m)^ +woa {command}\b(?! \[)", "an example")
            self.assertEqual(self.woa("help", command).stdout, done.stdout)
        self.assertEqual(self.woa("help").stdout, self.woa("--help").stdout)
        self.assertEqual(self.woa("help", "bench", "hop").stdout, self.woa("bench", "hop", "--help").stdout)
        self.refused(self.woa("help", "rum"), 2, "'rum'", "did you mean 'run'?")

    def test_a_choice_that_a_device_has_by_number_is_not_changed_in_a_plan(self):
        """Else the kernel's library would size the output for one choice, and the device compute another."""
        graph = self.write("resize.yaml", "woa: 1\ngraph: g\ninputs: {x: {type: 'u8[h,w,3]', max: 1MiB}}\nstages:\n"
                                          "  r: {kernel: resize_bilinear, in: {image: x}, params: {width: 4, height: 4}, on: gpu}\n"
                                          "outputs: {y: r.image}\n")
        plan, data = self.path("resize.plan"), "x=" + self.write("x", b"\1\0\0\0\1\0\0\0".ljust(64, b"\0") + b"abc")
        self.assertEqual(self.woa("compile", graph, "-o", plan).returncode, 0)
        self.refused(self.woa("run", plan, "--in", data, "--param", "r.fit=cover"), 2, "--param r.fit", "compile the graph again")

    def test_a_plan_has_the_controllers_that_it_was_compiled_for(self):
        graph, plan = os.path.join(harness.SOURCE, "graphs/thumbnails.yaml"), self.path("thumbnails.plan")
        self.assertEqual(self.woa("compile", graph, "--nodes", "2", "-o", plan).returncode, 0)
        self.assertEqual(self.woa("explain", plan, "--nodes", "2").returncode, 0)
        for command in (("explain", plan), ("compile", plan, "-o", self.path("other.plan"))):
            self.refused(self.woa(*command, "--nodes", "3"), 2, "--nodes 3: the plan has 2 controllers; compile the graph again")

    def test_options_stand_in_groups(self):
        """An option that `woa run --help` lists under `Options` has no group yet: tools/woa/help.cc gives it one."""
        text = self.woa("run", "--help").stdout.decode()
        options = text.split("\nOptions:\n")[1].split("\n\n")[0]
        self.assertEqual([line.split()[0] for line in options.splitlines() if line.startswith("  -")], ["-h,--help"])
        for group, option in (("Inputs, parameters and outputs", "--in"), ("Machine and placement", "--machine"), ("Nodes on other hosts", "--nodes")):
            self.assertIn(f"\n  {option} ", text.split(f"\n{group}:")[1].split("\n\n")[0])

    def test_an_absent_device_is_exit_code_3(self):
        graph = self.write("far.yaml", GOOD.replace("'cpu:1'", "'gpu:7'"))
        self.refused(self.woa("run", graph, "--in", "data=" + self.write("x", "x")), 3, "gpu:7")

    def test_a_device_beyond_those_here_is_a_warning_where_a_graph_is_checked(self):
        rows = json.loads(self.woa("devices", "--json").stdout)["devices"]
        here = sum(row["available"] for row in rows if row["backend"] == "opencl")
        if here == 0:
            self.skip("opencl", "no OpenCL device")
        graph = lambda number: self.write("far.yaml", GOOD.replace("'cpu:1'", f"'gpu:{number}'"))
        for command in (["check"], ["compile", "-o", self.path("far.plan")]):
            done = self.woa(*command, graph(here))
            self.refused(done, 0, f"'gpu:{here}' would be device number {here + 1} of back-end opencl, and {here} device", "(`woa devices`)")
            self.assertEqual(self.woa(*command, graph(here - 1)).stderr, b"")

    def test_a_secret_is_refused_on_the_command_line(self):
        done = self.woa("run", os.path.join(SOURCE, "graphs/encrypt.yaml"), "--in", "plain=" + self.write("x", "x"), "--param",
                        "encrypt.key=" + "ab" * 32)
        self.assertIn(done.returncode, (1, 2))
        self.assertIn("WOA_AES_KEY", done.stderr.decode())
        self.assertNotIn("abab", done.stderr.decode())

    def test_nothing_is_said_of_how_long_instances_took_where_none_succeeded(self):
        done = self.woa("run", self.write("good.yaml", GOOD), "--in", "data=" + self.write("big", "x" * 65))
        self.refused(done, 1, "too_large")
        self.assertIn("0 of 1 instance done", done.stdout.decode())
        self.assertNotIn("latency", done.stdout.decode())
        self.assertIn("output data: nothing was written\n", done.stdout.decode())
        self.assertNotIn("sha256", done.stdout.decode())

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
