"""Advice that errors print is followed as it stands, and the error is gone; options that errors name are all here."""
import glob
import os
import re
import resource
import shlex
import subprocess
import threading
import time

import harness
from harness import LIMIT_S, SOURCE, WOA, WoaTest, read
from join_harness import HELLO, JoinTest
from placement_harness import GRAPH, PlacementTest, machine

SCATTER = os.path.join(SOURCE, "graphs/scatter.yaml")
COPY = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 1KiB}}\nstages:\n  one: {kernel: copy, in: {data: data}}\n"
        "outputs: {data: one.data}\n")
NUMBERS = COPY.replace("{type: bytes, max: 1KiB}", "{type: 'f64[3]'}").replace("kernel: copy", "kernel: copy_numbers")


def added(arguments, found):
    return [*arguments, *shlex.split(found.group(1))]


def without(option):
    """The option and its value are left out."""
    def change(arguments, _):
        at = arguments.index(option)
        return arguments[:at] + arguments[at + 2:]
    return change


def put(arguments, found):
    """Options that the advice names stand in the place of those given."""
    words = shlex.split(found.group(1))
    for option in words[::2]:
        while option in arguments:
            arguments = without(option)(arguments, found)
    return arguments + words


def option_to(value):
    """The named option gets a value that the advice leaves to the user."""
    def change(arguments, found):
        return put(arguments, re.match("(.*)", f"{found.group(1)} {value}"))
    return change


class Followed(WoaTest):
    def started(self, arguments, **how):
        return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S,
                              **{"cwd": self.folder, "env": dict(os.environ, XDG_CONFIG_HOME=self.path("config")), **how})

    def follow(self, arguments, advice, change, shell=False, **how):
        """`advice`: a pattern of the fault's message, whose group is what a user copies."""
        with self.subTest(" ".join(arguments)):
            before = self.started([WOA, *arguments], **how)
            said = lambda done: (done.stdout + done.stderr).decode(errors="replace")
            self.skip_without_libraries(before.returncode, said(before))
            found = re.search(advice, said(before), re.MULTILINE)
            self.assertTrue(found, said(before))
            if shell:
                after = self.started(["sh", "-c", found.group(1) + ' && exec "$@"', "sh", WOA, *change(arguments, found)], **how)
            else:
                after = self.started([WOA, *change(arguments, found)], **how)
            self.assertEqual(after.returncode, 0, said(after))
            self.assertIsNone(re.search(advice, said(after)), said(after))
            return after


def same(arguments, _):
    return arguments


class Files(Followed):
    def setUp(self):
        super().setUp()
        self.text = self.write("text", "hello\n")
        self.hello = ["run", HELLO, "--in", "text=" + self.text]

    def test_inputs_and_outputs(self):
        os.mkdir(self.path("pair"))
        for name in "ab":
            self.write("pair/" + name, name)
        self.write("FILE", "a file")
        self.follow(["run", HELLO], "has no data: give (--in text=FILE)$", added)
        pair = ["run", HELLO, "--in", "text=pair", "--out"]
        self.follow([*pair, "copy=o.png"], r"write a file each, (--out copy=o-%i\.png)", put)
        self.follow([*pair, "copy=pair/"], r"what its files are called, such as (--out copy=pair/%i\.EXT)", put)
        os.mkdir(self.path("parts"))
        self.follow([*pair, "copy=parts"], r"what its files are called, such as (--out copy=parts/%i\.EXT)", put)
        self.follow([*self.hello, "--out", "copy=new/o"], "does not exist: (mkdir -p new)$", same, shell=True)
        self.follow([*self.hello, "--windo", "2"], "see `woa (run --help)`", lambda _, found: found.group(1).split())
        self.follow(["frob"], "`woa (--help)` lists them", lambda _, found: found.group(1).split())

    def test_arrays(self):
        graph = os.path.join(SOURCE, "graphs/hold.yaml")
        names = re.findall(r"(\w+): *\{type: ?\"?'?(?:f64|i64)", read(graph))
        self.assertTrue(names)
        arguments = ["run", graph, *(word for name in names for word in ("--in", f"{name}={self.text}"))]
        done = self.started([WOA, *arguments])
        for _ in names:  # one input at a time
            found = re.search(r"give a literal such as (--in (\w+)=\S+),", done.stderr.decode())
            self.assertTrue(found, done.stderr.decode())
            arguments = [f"{found.group(1)[5:]}" if word.startswith(found.group(2) + "=") else word for word in arguments]
            done = self.started([WOA, *arguments])
        self.assertNotIn("give a literal", done.stderr.decode())

    def test_frames(self):
        lines = b"one\ntwo\n"
        scatter = ["run", self.path("lines.yaml"), "--in", "log=-", "--out", "text=-", "--frames", "lines"]
        self.write("lines.yaml", "woa: 1\ngraph: g\ninputs: {log: {type: bytes, max: 1KiB}}\nstages:\n"
                                 "  cut: {kernel: split_lines, in: {data: log}}\n  all: {kernel: join_lines, in: {lines: cut.line}}\n"
                                 "outputs: {text: all.data}\n")
        self.follow(scatter, "two lines; add (--frames text=u32), or give", added, input=lines)
        done = self.follow(scatter, "or give (--frames log=lines) in the place of --frames lines", put, input=lines)
        self.assertEqual(done.stdout, lines)
        own = [*scatter[:-1], "log=lines", "--frames", "text=lines"]
        self.follow(own, "two lines; give (--frames text=u32)$", lambda arguments, found: [*arguments[:-2], *found.group(1).split()], input=lines)
        copied = ["run", HELLO, "--in", "text=-", "--out", "copy=-"]
        self.follow(copied, "give (--frames lines), u32, npy, jpeg or fixed:BYTES", added, input=lines)
        self.follow([*copied, "--frames", "text=npy"], "give (--frames text=u32), or another rule", put, input=b"\2\0\0\0ab")
        files = [*self.hello, "--frames", "lines"]
        self.follow(files, "give (--in NAME)=- or --out NAME=-", lambda arguments, _: put(arguments, re.match("(.*)", "--in text=-")), input=lines)
        self.follow([*self.hello, "--frames", "text=lines"], "'text' is no pipe; give it as (text=-),",
                    lambda arguments, found: put(arguments, re.match("(.*)", "--in " + found.group(1))), input=lines)
        os.mkfifo(self.path("pipe"))
        threading.Thread(target=lambda: read(self.path("pipe"))).start()
        self.follow(["run", HELLO, "--in", "text=-", "--json", "--out", "copy=-", "--frames", "lines"], "give (--out) a named pipe",
                    option_to("copy=" + self.path("pipe")), input=lines)

    def test_lines_of_a_text(self):
        self.write("FILE", "".join(f"{k}\n" for k in range(600)))
        graph = self.write("lines.yaml", "woa: 1\ngraph: g\ninputs: {NAME: {type: bytes, max: 64KiB}}\nstages:\n"
                                         "  cut: {kernel: split_lines, in: {data: NAME}}\n  all: {kernel: join_lines, in: {lines: cut.line}}\n"
                                         "outputs: {text: all.data}\n")
        given = ["run", graph, "--in", "NAME=FILE", "--out", "text=out"]
        advice = "the text has 600 lines, expected at most 256; `(mkdir PARTS && split -l 256 FILE PARTS/)` cuts a file, and `(--in NAME=PARTS)`"
        self.follow(given, advice, lambda arguments, found: put(arguments, re.match("(.*)", found.group(2))), shell=True)
        self.assertEqual(read(self.path("out")), read(self.path("FILE")))

    def test_traces_reports_and_pictures(self):
        self.follow([*self.hello, "--instances", "20", "--trace", "t.json", "--trace-limit", "1"], "raise (--trace-limit), or run fewer",
                    option_to("1000"))
        os.mkdir(self.path("bin"))
        no_dot = {"env": dict(os.environ, PATH=self.path("bin"))}
        self.follow(["compile", HELLO, "--svg", "s.svg"], "or write (--dot FILE) and lay that out",
                    lambda arguments, found: without("--svg")(added(arguments, found), found), **no_dot)
        plan = self.path("hello.plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan).returncode, 0)
        self.follow(["check", plan, "--sarif", "s.sarif"], "a plan has no places to report; (give the graph)",
                    lambda arguments, _: [HELLO if word == plan else word for word in arguments])
        self.follow(["explain", "E0204", "--window", "2"], "which takes (--json) alone", lambda *_: ["explain", "E0204", "--json"])
        self.write("E0204", read(HELLO))
        self.follow(["explain", "E0204", "--window", "2"], r"write (\./E0204) for a file of that name",
                    lambda arguments, found: ["explain", found.group(1), *arguments[2:]])
        self.follow(["run", HELLO, "--in", "text=" + self.large(), "--instances", "3"], "(--json) says how each did",
                    lambda arguments, _: ["check", HELLO, "--json"])

    def large(self):
        return self.write("large", "x" * (2 << 20))

    def test_parameters(self):
        graph = self.write("small.yaml", "woa: 1\ngraph: g\ninputs: {x: {type: 'u8[h,w,3]', max: 1KiB}}\nstages:\n"
                                         "  r: {kernel: resize_bilinear, in: {image: x}, params: {height: 4}}\noutputs: {y: r.image}\n")
        self.follow(["check", graph], "or give `(--param r.width)=VALUE`", lambda arguments, found: [*arguments, *(found.group(1) + "=4").split()])
        self.write("small.yaml", read(graph).replace("height: 4", "height: 4, width: 4"))
        self.follow(["check", graph, "--param", "width=4"], "--param expects (STAGE.NAME=VALUE)", lambda arguments, _: [*arguments[:-1], "r.width=4"])
        self.follow(["check", graph, "--param", "R.width=4"], "did you mean `(r)`", lambda arguments, found: [*arguments[:-1], found.group(1) + ".width=4"])

    def test_plans_keep_what_they_were_compiled_with(self):
        plan = self.path("hello.plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan).returncode, 0)
        machine_file = self.write("machine.yaml", "woa_machine: 1\ncontrollers: {'cpu:0': {}, 'cpu:1': {}}\n")
        again = lambda arguments, found: [HELLO if word == plan else word for word in arguments]
        for more in (["--machine", machine_file], ["--replicas", "first=2"], ["--buffers", "full"]):
            self.follow(["explain", plan, *more], f"{more[0]}.*; (compile the graph again)", again)
        self.assertEqual(self.woa("compile", HELLO, "-o", plan, "--window", "4").returncode, 0)
        self.follow(["explain", plan, "--window", "60"], "--window.*; (compile the graph again)", again)
        self.follow(["explain", plan, "--buffers", "throughput"], "compile the graph with (--profile)", self.profiled)
        self.follow(["compile", plan, "--workers", "3", "-o", self.path("other.plan")], "--workers: .*; (compile the graph again)", again)
        self.follow(["check", machine_file], "give it by `(--machine)`", lambda arguments, found: ["check", HELLO, found.group(1), machine_file])

    def profiled(self, arguments, found):
        profile, plan = self.path("p.json"), arguments[1]
        self.assertEqual(self.woa("profile", HELLO, "--in", "text=" + self.text, "--seconds", "1", "-o", profile).returncode, 0)
        self.assertEqual(self.woa("compile", HELLO, found.group(1), profile, "-o", plan).returncode, 0)
        self.follow(["check", profile], "give it by `(--profile)`", lambda _, found: ["check", HELLO, found.group(1), profile])
        return arguments

    def test_comparisons(self):
        self.follow(["compare", HELLO, "--run"], "(--run needs --in).*give (--in text=FILE)",
                    lambda arguments, found: [*arguments, "--repetitions", "1", *found.group(2).replace("FILE", self.text).split()])
        self.follow(["compare", HELLO], "give (--profile FILE) .*, or (--in) to profile first",
                    lambda arguments, found: [*arguments, "--repetitions", "1", found.group(2), "text=" + self.text])

    def test_limits_of_time(self):
        self.follow([*self.hello, "--deadline", "1ns"], "raise (--deadline) or find the slow stage", option_to("1min"))
        self.follow([*self.hello, "--start-limit", "1us"], "needs a larger (--start-limit)", option_to("60s"))

    def test_ways_between_controllers(self):
        self.follow([*self.hello, "--no-payload-crc"], "add (--transport ofi), --lane or --nodes", added)
        self.follow([*self.hello, "--provider", "tcp;ofi_rxm"], "add (--transport ofi)", added)
        self.follow([*self.hello, "--interface", "lo"], "--interface is for (--transport ofi) or --lane", added)
        self.follow([*self.hello, "--transport", "ofi", "--processes", "one"], "use (--processes per-controller)", put)

    def test_numbers_out_of_range(self):
        self.follow(["compile", HELLO, "--replicas", "first=65"], "--replicas is 65, expected 1 to (64)",
                    lambda arguments, found: [*arguments[:-1], "first=" + found.group(1)])
        self.follow(["compile", HELLO, "--window", "4097"], "--window: expected a whole number from 1 to (4096)",
                    lambda arguments, found: [*arguments[:-1], found.group(1)])

    def test_models(self):
        choices = os.path.join(SOURCE, "graphs/or-else.yaml")
        self.follow([*self.hello, "--model", "rpc"], "expected (woa), rpc-fused", lambda arguments, found: [*arguments[:-1], found.group(1)])
        self.assertIn("nested", self.woa("check", choices).stderr.decode() + "nested")


class Placements(Followed, PlacementTest):
    TIMES = {name: {"cpu": 10_000_000, "fpga": 4_000_000} for name in ("one", "two", "three")}

    def setUp(self):
        super().setUp()
        self.graph, self.plan = self.write("three.yaml", GRAPH), self.path("three.plan")
        priced = machine("1us", "price: 90, power: 40W").replace('"cpu:0": {}', '"cpu:0": {price: 10, power: 20W}')
        self.machine = self.write("machine.yaml", priced.replace('"cpu:1": {}', '"cpu:1": {price: 10, power: 20W}'))
        self.given = ["compile", self.graph, "--machine", self.machine, "--profile", self.profile_of(self.graph, self.TIMES)]

    def test_bounds(self):
        for given, advice in (
                (["--max-period", "1us"], "write `(--max-period [0-9]+[a-z]+)` or more"),
                (["--objective", "throughput", "--max-latency", "1us"], "write `(--max-latency [0-9]+[a-z]+)` or more"),
                (["--max-price", "9"], "write `(--max-price [0-9]+)` or more"),
                (["--max-power", "9W"], "write `(--max-power [0-9]+W)` or more")):
            self.follow([*self.given, *given], advice, put)
        self.follow([*self.given, "--objective", "throughput", "--max-period", "1s"], "leave it out, or bound the other with (--max-latency)",
                    lambda arguments, found: [*arguments[:-2], found.group(1), "1s"])
        self.follow([*self.given, "--objective", "throughput", "--max-period", "1s"], "(leave it out)", without("--max-period"))
        self.follow([*self.given, "--max-latency", "1s"], "without (--objective throughput) the latency", added)
        self.follow([*self.given, "--max-latency", "1s"], "or bound the other with (--max-period)",
                    lambda arguments, found: [*arguments[:-2], found.group(1), "1s"])
        self.follow([*self.given[:2], "--max-price", "9"], "requires (--profile)", lambda arguments, _: [*self.given, "--max-price", "90"])
        no_machine = [*self.given[:2], *self.given[4:], "--max-price", "90"]
        self.follow(no_machine, r"give a machine file that lists them \((--machine)\)", option_to(self.machine))

    def test_blocks(self):
        few = [*self.given, "--window", "2", "--buffers", "throughput"]
        self.follow([*few, "--model", "rpc-hub"], "use (--buffers full) or least", put)
        self.follow([*self.given[:2], "--buffers", "throughput"], "give (--profile FILE)", lambda *_: [*self.given, "--window", "64", "--buffers", "throughput"])

    def test_other_models_of_a_placed_plan(self):
        self.assertEqual(self.woa(*self.given, "-o", self.plan).returncode, 0)
        other = ["compile", self.plan, "--model", "rpc-hub", "-o", self.path("other.plan")]
        advice = "compile the graph again with (--model rpc-hub), or run the plan as it is: woa (run PLAN --model rpc-hub)"
        self.follow(other, advice, lambda _, found: [*self.given, *found.group(1).split(), "-o", self.path("other.plan")])
        explain = ["explain", self.plan, "--buffers", "throughput", "--model", "rpc-hub"]
        self.follow(explain, "throughput count its blocks; (leave one of the two out)", without("--buffers"))

    def test_ranges_end_where_nothing_more_was_shown(self):
        times = {name: {"cpu": cpu, "fpga": 4_000_000} for name, cpu in (("one", 10_000_000), ("two", 20_000_000), ("three", 30_000_000))}
        profile = ["--profile", self.profile_of(self.graph, times)]
        done = self.woa("explain", *self.given[1:4], *profile, "--objective", "throughput", "--copies", "2", "--reasons-limit", "1min")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout.decode(), "from 0 % up, not known below +0 % to at least")
        self.assertNotIn("at least 0 %", done.stdout.decode())

    def test_reasons(self):
        self.follow(["explain", *self.given[1:], "--reasons-limit", "1ns"], "give more, such as (--reasons-limit 1min)", put)


class Nodes(Followed, JoinTest):
    def test_a_run_and_its_node_by_advice_alone(self):
        arguments = ["run", HELLO, "--in", "text=" + self.text, "--nodes", "1", "--wait", "30", "--processes", "one"]
        for advice, words in (("--nodes needs (--listen) INTERFACE", ["lo"]), ("--nodes needs (--secret) FILE", [self.secret]),
                              ("--nodes needs --processes (per-controller)", None)):
            error = self.started([WOA, *arguments]).stderr.decode()
            found = re.search(advice, error)
            self.assertTrue(found, error)
            arguments = [*arguments, found.group(1), *words] if words else [*arguments[:-5], found.group(1), *arguments[-4:]]
        run = self.start([WOA, *arguments])
        try:
            command = run.says(r"waiting for 1 node: (woa node --join \S+ --secret) FILE").group(1)
        except AssertionError:
            self.skip_without_libraries(run.end(), run.error)
            raise
        node = [*shlex.split(command)[1:], self.secret]
        self.follow([*node, "--cores", f"cpu:1={max(os.sched_getaffinity(0))}"], "ask for (--controller cpu:1)", added)
        self.assertEqual(run.end(), 0, run.error)

    def test_a_node_needs_the_providers_of_its_run(self):
        graph = self.write("lane.yaml", read(HELLO).replace("in: {data: first.data}", "in: {data: {from: first.data, lane: bulk}}"))
        run, address = self.start_run(1, "--lane", "bulk=udp;ofi_rxd", graph=graph, instances="1")
        node = self.start_node(address, "--controller", "cpu:1")
        advice = "give it the run's (--provider), and each (--lane)"
        self.assertEqual((node.end(), run.end()), (1, 1))
        self.assertRegex(node.error + run.error, advice)
        run, address = self.start_run(1, "--lane", "bulk=udp;ofi_rxd", graph=graph, instances="1")
        lanes = re.search(r"--join \S+ --secret FILE(.*)", "".join(run.lines)).group(1)  # as the run says it
        node = self.start_node(address, "--controller", "cpu:1", *shlex.split(lanes))
        self.assertEqual((node.end(), run.end()), (0, 0), node.error + run.error)


def may_raise_limits():
    return subprocess.run(["sh", "-c", "ulimit -n 8 && ulimit -n 4096"], stderr=subprocess.DEVNULL, check=False).returncode == 0


class Limits(Followed):
    """Limits of the system, which a shell sets and the advice raises."""

    def follow_in_shell(self, limit, arguments, *advice):
        """`limit` begins the shell; the last of `advice` is what the shell then does."""
        text = self.write("text", "hello\n")
        arguments = [WOA, "run", HELLO, "--in", "text=" + text, *arguments]
        before = self.started(["sh", "-c", limit + ' && exec "$@"', "sh", *arguments])
        error = before.stderr.decode()
        self.assertEqual(before.returncode, 1, error)
        for each in advice:
            self.assertRegex(error, each)
        fix = re.search(advice[-1], error).group(1)
        self.assertEqual(self.started(["sh", "-c", f'{limit} && {fix} && exec "$@"', "sh", *arguments]).returncode, 0)

    def test_each_limit_is_told_from_the_others(self):
        if harness.SANITIZED:
            self.skipTest("a sanitizer's runtime needs memory and descriptors of its own")
        for way in ("one", "per-controller"):
            ways = ["--processes", way]
            with self.subTest(way):
                self.follow_in_shell("ulimit -Sv 40000", ways, r"a limit of 40000 KiB on its address space \(`ulimit -v`\)", "raise it with `(ulimit -v unlimited)`")
        if may_raise_limits():  # woa raises its own limit to the hard one, which others cannot raise
            self.follow_in_shell("ulimit -n 8", [], "a limit of 8 on open files", "raise it with `(ulimit -n [0-9]+)`")
        self.follow_in_shell("ulimit -Sf 1", [], "bytes on files and shared memory", "raise it with `(ulimit -f unlimited)`")

    def test_a_limit_that_this_user_cannot_raise_says_so(self):
        if harness.SANITIZED:
            self.skipTest("a sanitizer's runtime needs address space of its own")
        text = self.write("text", "x")
        done = self.started(["sh", "-c", 'ulimit -v 40000 && ulimit -v unlimited 2>/dev/null || exec "$@"', "sh", WOA, "run", HELLO, "--in", "text=" + text])
        if done.returncode != 0:  # else the user may raise any
            self.refused(done, 1, "raise it with `ulimit -v unlimited` as root, or start from a shell without it")

    def test_processes_of_a_user(self):
        """A user of ours, who is not root, may have no second process."""
        if os.geteuid() != 0:
            self.skipTest("root alone can become another user")
        if harness.SANITIZED:
            self.skipTest("a sanitizer's runtime has threads of its own")
        text = self.write("text", "hello\n")
        os.chmod(self.folder, 0o777)
        limited = lambda most: subprocess.run([WOA, "run", HELLO, "--in", "text=" + text], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                              timeout=LIMIT_S, user=54321, group=54321, extra_groups=[],
                                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (most, 4096)))
        if limited(4096).returncode != 0:
            self.skipTest("another user cannot run the program where it lies")
        done = limited(2)
        self.refused(done, 1, "this user has a limit of 2 on processes and threads, raise it with `ulimit -u 4096`")

    def test_processes_of_a_control_group(self):
        if harness.SANITIZED:
            self.skipTest("a sanitizer's runtime has processes of its own")
        group = self.control_group("pids")
        with open(group + "/pids.max", "w") as file:
            file.write("3")
        done = self.started(["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh", WOA, "run", HELLO, "--in", "text=" + self.write("text", "x")])
        self.refused(done, 1, "the control group of this process has a limit of 3 on processes and threads, raise it in " + group + "/pids.max")


# Options in texts of errors that no test can follow here, and why.
ELSEWHERE = {
    "gpus": "of docker", "memory": "of docker", "cpus": "of docker", "pids-limit": "of docker", "base": "of xbmgmt", "link": "of v++",
    "add-section": "of xclbinutil", "fmad": "of NVRTC", "std": "of NVRTC", "no-source-include": "of NVRTC", "gpu-architecture": "of NVRTC",
     "node": "of xclbinutil's input", "cores": "named, not advised", "guard": "named, not advised", "isolate": "named, not advised",
    "kernel-limit": "named, not advised", "kernel": "`woa doctor --kernel`: kernel_check_test.py", "end-limit": "named, not advised",
    "report": "named, not advised", "include": "new_kernel_test.py", "fpga": "`woa doctor --fpga`: fpga_doctor_test.py", "copies": "placement_test.py: another optimum is missed",
    "placement-limit": "more time: progress_test.py shows a search that takes all of it",
}


def texts_of_errors():
    """(file, text) of each statement's literals, but for definitions of options and pages of help."""
    for folder in ("runtime", "compiler", "controllers", "library", "tools/woa", "tools/frames", "kernels"):
        for path in sorted(glob.glob(os.path.join(SOURCE, folder, "**/*.c*"), recursive=True)):
            if path.endswith("tools/woa/help.cc"):
                continue
            text = re.sub(r"//.*", "", re.sub(r'R"\((?:.|\n)*?\)"', "", read(path)))
            for statement in text.split(";\n"):
                if not re.search(r"add_option|add_flag|get_option|kAbout|footer\(|add_\w+_option\(|set_version|is_same_option", statement):
                    yield path, " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', statement))


class Complete(WoaTest):
    def test_each_option_that_an_error_names_is_followed_here(self):
        own = read(__file__)
        for path, text in texts_of_errors():
            for option in re.findall(r"(?<![\w-])--([a-z][a-z-]*[a-z])", text):
                with self.subTest(option, path=path):
                    self.assertTrue(option in ELSEWHERE or "--" + option in own, text)


if __name__ == "__main__":
    harness.main()
