"""woa run: control flow, processes, models, files, traces, and that nothing goes through the caller."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import harness
from harness import SANITIZED, SOURCE, WOA, WoaTest, read

HELLO = os.path.join(SOURCE, "graphs/hello.yaml")
GPU = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 1MiB}}\nstages:\n"
       "  g: {kernel: invert, in: {data: data}, on: gpu}\noutputs: {data: g.data}\n")


def peak_kib(*arguments):
    """The most memory that the command or one of its processes had."""
    program = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    return int(subprocess.run([sys.executable, "-c", program, WOA, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=harness.LIMIT_S).stdout)


class Run(WoaTest):
    def test_hello_in_every_layout(self):
        text = self.write("text", "hello\n")
        for model, messages in (("woa", 3), ("rpc-fused", 4), ("rpc-hub", 4)):
            for processes in ("one", "per-controller"):
                result = self.run_json(HELLO, "--in", "text=" + text, "--instances", "20", "--model", model, "--processes", processes,
                                       "--out", "copy=" + self.path("copy"))
                self.assertEqual(result["messages"], 20 * messages)
                self.assertEqual(result["copied_bytes"], 0)
                with open(self.path("copy")) as file:
                    self.assertEqual(file.read(), "hello\n" * 20)

    def test_a_payload_comes_out_as_it_was_however_it_travels(self):
        for size in (1, 63, 64, 65):  # up to 64 bytes behind the header, which is part of the packet and no copy
            for model in ("woa", "rpc-hub"):
                content = "".join(chr(ord("a") + k % 26) for k in range(size))
                result = self.run_json(HELLO, "--in", "text=" + self.write("text", content), "--instances", "5", "--model", model,
                                       "--out", "copy=" + self.path("copy"))
                self.assertEqual(result["copied_bytes"], 0)
                with open(self.path("copy")) as file:
                    self.assertEqual(file.read(), content * 5)

    def test_a_deadline_that_no_clock_reaches_is_none(self):
        """A plan that was made by hand can say any number: added to the time it must not come to one that is past."""
        text, plan = "text=" + self.write("text", "hello\n"), self.path("hello.plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan, "--deadline", "525600min").returncode, 0)
        self.assertEqual(self.run_json(plan, "--in", text)["failures"], [])
        self.assertEqual(self.woa("compile", HELLO, "-o", plan, "--deadline", "123456789012345ns").returncode, 0)
        given, most = b"\x20\xf9\xbe\xb7\xb0\x88\x89\x1c", b"\x20" + b"\xff" * 9 + b"\x01"  # the field and its number
        data = bytearray(read(plan, "rb"))
        self.assertEqual(data.count(given), 1)
        data[12] += len(most) - len(given)  # how long the rest is
        data = harness.sealed(data.replace(given, most))
        self.assertEqual(self.run_json(self.write("far.plan", data), "--in", text)["failures"], [])

    def test_numbers_are_read_alike_in_options_files_and_parameters(self):
        text = "text=" + self.write("text", "hello\n")
        for ten in ("010", "10", "+10", "1e1", "10.0"):
            result = self.run_json(HELLO, "--in", text, "--instances", ten, "--window", ten, "--replicas", "second=" + ten)
            self.assertEqual((result["instances"], result["window"]), (10, 10))
            self.assertEqual(sum(stage["name"].startswith("second[") for stage in result["stages"]), 10)
            graph = self.write("window.yaml", read(HELLO) + f"window: {ten}\n")
            self.assertEqual(self.run_json(graph, "--in", text)["window"], 10)

    def kernel_folder(self, name, declaration):
        """A kernel path with join2, declared otherwise."""
        folder = os.path.join(self.folder, name, "join2")
        os.makedirs(folder)
        shutil.copy(os.path.join(harness.BUILD, "kernels/join2/libjoin2.so"), folder)
        with open(os.path.join(folder, "kernel.yaml"), "w") as file:
            file.write(declaration)
        return {"WOA_KERNEL_PATH": os.path.dirname(folder)}

    def test_a_plan_runs_with_the_kernel_that_it_was_made_with_and_no_other(self):
        declared = read(os.path.join(SOURCE, "kernels/join2/kernel.yaml")).partition("  rtl:\n")[0]  # which bounds what may change
        a, b = "  a: {type: bytes}\n", "  b: {type: bytes}\n"
        graph = self.write("g.yaml", "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 64}, y: {type: bytes, max: 64}}\n"
                           "stages: {s: {kernel: join2, in: {a: x, b: y}}}\noutputs: {o: s.data}\n")
        given = ["--in", "x=" + self.write("x", "X"), "--in", "y=" + self.write("y", "Y"), "--out", "o=" + self.path("o")]
        planned = self.kernel_folder("planned", declared)
        plan = self.path("g.plan")
        self.assertEqual(self.woa("compile", graph, "-o", plan, environment=planned).returncode, 0)
        comment = self.kernel_folder("comment", "# the same\n" + declared.replace("summary:", "summary: other #"))
        changes = {"order": declared.replace(a + b, b + a), "more": declared.replace(b, b + "  c: {type: bytes, optional: true}\n"),
                   "type": declared.replace(a, "  a: {type: \"u8[n]\"}\n"), "bound": declared.replace("64MiB", "32MiB"),
                   "in_place": declared.replace("64MiB", "64MiB, in_place: a"), "state": declared + "stateful: run\n",
                   "parameter": declared + "params: {p: {type: int, default: 1}}\n", "scratch": declared + "scratch: 64\n"}
        for processes in ("one", "per-controller"):
            for same in (planned, comment):
                self.run_json(plan, *given, "--processes", processes, environment=same)
                self.assertEqual(read(self.path("o")), "XY")
            for change, text in changes.items():
                self.assertNotEqual(text, declared)
                other = self.kernel_folder(f"{change}-{processes}", text)
                done = self.woa("run", plan, *given, "--processes", processes, environment=other)
                self.refused(done, 1, os.path.join(other["WOA_KERNEL_PATH"], "join2/kernel.yaml"),
                             "is not the kernel that the plan was made with", "`a: bytes, b: bytes -> data: bytes`", "woa compile GRAPH -o PLAN")

    def test_parameters_of_a_plan_have_their_types(self):
        graph = self.write("g.yaml", "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 64}}\n"
                           "stages: {s: {kernel: fail_if, in: {data: x}, params: {byte: +033}}}\noutputs: {o: s.data}\n")
        plan = self.path("g.plan")
        self.assertEqual(self.woa("compile", graph, "-o", plan).returncode, 0)
        x = "x=" + self.write("x", "!")  # byte 33
        self.assertEqual(len(self.run_json(plan, "--in", x, code=1)["failures"]), 1)
        self.assertEqual(self.run_json(plan, "--in", x, "--param", "s.byte=034")["failures"], [])
        self.refused(self.woa("run", plan, "--in", x, "--param", "s.byte=0x21"), 2, "--param s.byte is '0x21', expected a value of type int")

    def test_a_failed_element_is_named(self):
        scattered = "woa: 1\ngraph: scattered\ninputs: {text: {type: bytes, max: 1KiB}}\nstages:\n" \
                    "  cut: {kernel: split_lines, in: {data: text}}\n  check: {kernel: fail_if, in: {data: cut.line}, params: {byte: 33%s}, replicas: 2}\n" \
                    "  paste: {kernel: join_lines, in: {lines: check.data}}\noutputs: {text: paste.data}\n"
        text = self.write("text", "".join(f"line {k}\n" for k in range(20)) + "!\nlast\n")
        for processes in ("one", "per-controller"):
            result = self.run_json(self.write("scattered.yaml", scattered % ""), "--in", "text=" + text, "--processes", processes, code=1)
            self.assertRegex(result["failures"][0]["message"], "^element 20: ")
        late = self.run_json(self.write("late.yaml", scattered % ", delay_ms: 50"), "--in", "text=" + text, "--deadline", "120ms", code=1)
        self.assertLessEqual(late["failures"][0]["message"].count("ran instance 0"), 3)  # cut, and two replicas of check

    def test_replicas_from_the_command_line(self):
        text = self.write("text", "hello\n")
        result = self.run_json(HELLO, "--in", "text=" + text, "--instances", "7", "--replicas", "second=3")
        firings = {stage["name"]: stage["firings"] for stage in result["stages"]}
        self.assertEqual({name: count for name, count in firings.items() if name.startswith("second")},
                         {"second[0]": 3, "second[1]": 2, "second[2]": 2})
        plan = self.path("plan")
        self.assertEqual(self.woa("compile", HELLO, "--replicas", "second=2", "-o", plan).returncode, 0)
        self.assertEqual(len(self.run_json(plan, "--in", "text=" + text)["stages"]), len(firings) - 1)
        for wrong, says in (("second", "expects STAGE=N"), ("second=x", "expects STAGE=N"), ("second=0", "expected 1 to 64"),
                            ("nobody=2", "names stage `nobody`")):
            done = self.woa("run", HELLO, "--in", "text=" + text, "--replicas", wrong)
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(says, done.stderr.decode())
        self.refused(self.woa("run", plan, "--in", "text=" + text, "--replicas", "second=3"), 2, "compile the graph again")

    def test_over_libfabric(self):
        """Over loopback, where no memory is shared: the same outputs, and a refusal of what it cannot do."""
        over = ("--transport", "ofi")
        text = self.write("text", "hello\n")
        done = self.woa("run", HELLO, "--in", "text=" + text, *over)
        self.skip_without_libraries(done.returncode, done.stderr.decode())
        for size in (1, 64, 65, 5000):
            content = "".join(chr(ord("a") + k % 26) for k in range(size))
            for model, messages in (("woa", 3), ("rpc-hub", 4)):
                result = self.run_json(HELLO, "--in", "text=" + self.write("text", content), "--instances", "5", "--model", model,
                                       "--out", "copy=" + self.path("copy"), *over)
                self.assertEqual(result["messages"], 5 * messages)
                crossing = [edge for edge in result["edges"] if edge["transport"] != "local"]
                self.assertEqual({(edge["transport"], edge["method"]) for edge in crossing}, {("ofi", "eager")})
                self.assertEqual(read(self.path("copy")), content * 5)
        if not SANITIZED:
            self.assertLess(peak_kib("run", HELLO, "--in", "text=" + text, *over), 64 << 10)  # without libfabric's buffers for messages
        for wrong, code, says in ((("--processes", "one"), 2, b"joins processes"),
                                  (("--interface", "nowhere"), 2, b"Requested: 'nowhere'; translated: nothing; available: "),
                                  (("--provider", "nothing"), 3, b"there is no provider 'nothing' that can write into remote memory from address '127.0.0.1'; choose one of: '")):
            done = self.woa("run", HELLO, "--in", "text=" + text, *over, *wrong)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(says, done.stderr)
        for variable, value in (("FI_PROVIDER", "shm"), ("FI_PROVIDER", "sockets"), ("FI_PROVIDER", "verbs"), ("FI_PROVIDER", "^tcp")):
            done = self.woa("run", HELLO, "--in", "text=" + text, *over, environment={variable: value})
            self.refused(done, 3, "there is no provider 'tcp;ofi_rxm'", f"the environment sets {variable}={value}", "unset that")
            self.assertNotIn("choose one of: )", done.stderr.decode())
        for processes in ("one", "per-controller"):
            done = self.woa("run", HELLO, "--in", "text=" + text, "--interface", "lo", "--processes", processes)
            self.refused(done, 2, "--interface")

    def test_an_output_to_several_sites_takes_the_tree_that_was_asked_for(self):
        stages = "".join(f"  s{k}: {{kernel: copy, in: {{data: text}}, on: 'cpu:{k}'}}\n" for k in range(4))
        graph = self.write("wide.yaml", "woa: 1\ngraph: wide\ninputs: {text: {type: bytes, max: 1MiB}}\nstages:\n" + stages +
                           "outputs: {" + ", ".join(f"o{k}: s{k}.data" for k in range(4)) + "}\n")
        arguments = (graph, "--in", "text=" + self.write("text", "hello\n" * 5000), "--instances", "5", "--transport", "ofi")
        first = self.woa("run", *arguments)
        self.skip_without_libraries(first.returncode, first.stderr.decode())
        shas, from_source = set(), {}
        for fan_out in ("flat", "auto", "tree"):
            result = self.run_json(*arguments, "--fan-out", fan_out)
            self.assertEqual((result["messages"], result["payload_bytes"]), (5 * 8, 5 * 8 * 30000))
            shas.update(output["sha256"] for output in result["outputs"])
            from_source[fan_out] = sum(edge["from"] == "source.text" for edge in result["edges"])
        self.assertEqual(len(shas), 1)
        self.assertEqual(from_source, {"flat": 4, "auto": 3, "tree": 3})
        self.assertEqual(self.woa("run", *arguments, "--fan-out", "star").returncode, 2)

    def test_json_has_what_the_commands_page_promises(self):
        result = self.run_json(HELLO, "--in", "text=" + self.write("text", "x"))
        for key in ("graph model processes instances window wall_s throughput_per_s latency_us messages control payload_bytes "
                    "copied_bytes controllers stages edges providers memory limit outputs failures").split():
            self.assertIn(key, result)
        self.assertEqual(set(result["latency_us"]), {"min", "p50", "p99", "max"})
        self.assertEqual(set(result["edges"][0]), set("from to transport lane provider method staged messages payload_bytes copied_bytes".split()))

    def test_stages_say_what_they_took(self):
        text = self.write("text", "x" * 100000)
        result = self.run_json(HELLO, "--in", "text=" + text, "--instances", "20", "--trace", self.path("trace"))
        workers = {controller["name"]: controller["workers"] for controller in result["controllers"]}
        for stage in result["stages"]:
            self.assertEqual(stage["firings"], 20)
            self.assertGreater(stage["busy_s"], 0)
            self.assertAlmostEqual(stage["mean_us"], stage["busy_s"] * 1e6 / 20, places=3)
            self.assertAlmostEqual(stage["share"], stage["busy_s"] / workers[stage["controller"]] / result["wall_s"], places=6)
        for controller in result["controllers"][1:]:
            busy = sum(stage["busy_s"] for stage in result["stages"] if stage["controller"] == controller["name"])
            self.assertAlmostEqual(controller["busy_s"], busy)
            self.assertAlmostEqual(controller["share"], controller["busy_s"] / controller["workers"] / result["wall_s"], places=6)
        lines = [line.split() for line in self.woa("run", HELLO, "--in", "text=" + text).stdout.decode().splitlines()]
        said = {line[1]: line[2] for line in lines if line[:1] == ["stage"]}
        self.assertEqual(said, {"first": "cpu:0", "second": "cpu:1"})

    def test_a_run_says_first_what_limits_it(self):
        """`often` fires ten times an instance, for 3 ms each; `long` once, for 20 ms."""
        graph = self.write("limit.yaml", "woa: 1\ngraph: limit\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
                           "  long: {kernel: fail_if, in: {data: data}, params: {byte: 255, delay_ms: 20}, on: 'cpu:0'}\n"
                           "  lines: {kernel: split_lines, in: {data: long.data}, on: 'cpu:0'}\n"
                           "  often: {kernel: fail_if, in: {data: lines.line}, params: {byte: 255, delay_ms: 3}, on: 'cpu:1'}\n"
                           "  all: {kernel: join_lines, in: {lines: often.data}, on: 'cpu:0'}\noutputs: {o: all.data}\n")
        arguments = ("--in", "data=" + self.write("data", "a\n" * 10), "--instances", "12")
        run = self.run_json(graph, *arguments)
        stages = {stage["name"]: stage for stage in run["stages"]}
        self.assertLess(stages["often"]["mean_us"], stages["long"]["mean_us"])
        self.assertGreater(stages["often"]["instance_us"], stages["long"]["instance_us"])
        self.assertAlmostEqual(stages["often"]["instance_us"], stages["often"]["busy_s"] * 1e6 / 12, places=3)
        self.assertEqual((run["limit"]["controller"], run["limit"]["stage"], run["limit"]["full"]), ("cpu:1", "often", run["limit"]["share"] >= 0.8))
        shown = self.woa("run", graph, *arguments).stdout.decode().splitlines()
        self.assertRegex(shown[1], r"^  limited by ")  # on a busy machine by other programs
        row = next(line for line in shown if line.startswith("  stage often"))
        self.assertRegex(row, r"cpu:1  [0-9.]+ ms an instance +[0-9]+ % of its controller +120 firings of [0-9.]+ ms")

    def test_many_instances_are_placed_for_throughput(self):
        profile, text = self.path("profile.json"), "text=" + self.write("text", "x")
        os.mkdir(self.path("texts"))
        self.assertEqual(self.woa("profile", HELLO, "--in", text, "--seconds", "1", "-o", profile).returncode, 0)
        folder = "text=" + self.path("texts")
        self.write("texts/one", "x")
        for expected, *more in (("throughput", text, "--instances", "2"), ("latency", text, "--instances", "1"), ("latency", text),
                                ("throughput", folder), ("latency", folder, "--objective", "latency"), ("latency", folder, "--max-period", "1s"),
                                ("throughput", text, "--objective", "throughput")):
            with self.subTest(more):
                self.assertEqual(self.run_json(HELLO, "--profile", profile, "--in", *more)["objective"], expected)
        self.assertIsNone(self.run_json(HELLO, "--in", text)["objective"])
        shown = self.woa("run", HELLO, "--profile", profile, "--in", folder).stdout.decode()
        self.assertRegex(shown, r"^hello: 1 of 1 instance done \(woa, per-controller, window [0-9]+, placed for throughput\)\n")

    def test_a_driver_that_cannot_work_says_what_hinders_it(self):
        graph = self.write("gpu.yaml", GPU)
        arguments = ("run", graph, "--in", "data=" + self.write("text", "x"))
        done = self.woa(*arguments)
        if done.returncode == 3 or self.woa(*arguments, environment={"POCL_CACHE_DIR": "/proc/x"}).returncode == 0:
            self.skip("opencl", done.stderr.decode() or "its driver is not PoCL alone")
        for cache in ("/proc/x", self.write("a-file", "") + "/cache"):
            done = self.woa(*arguments, environment={"POCL_CACHE_DIR": cache})
            self.refused(done, 3, f"PoCL's cache folder {cache} (from POCL_CACHE_DIR) cannot be written", "set POCL_CACHE_DIR to a folder")
        self.refused(self.woa(*arguments, environment={"POCL_CACHE_DIR": ""}), 3, "POCL_CACHE_DIR is set, but empty")
        done = self.woa(*arguments, environment={"OCL_ICD_VENDORS": self.path("nothing")})
        self.refused(done, 3, "the environment sets OCL_ICD_VENDORS=" + self.path("nothing"))

    def on_mount(self, options, variable, *arguments):
        """A command with PoCL's cache on a mount of its own, whose options a shell sets after it has been written to."""
        place = self.path("mount")
        os.makedirs(place, exist_ok=True)
        mounted = f"mount -t tmpfs tmpfs $0 && mkdir -p $0/cache && mount -o remount,{options} $0 || exit 77; {variable}=$0/cache exec \"$@\""
        plain = {name: value for name, value in os.environ.items() if name not in ("POCL_CACHE_DIR", "XDG_CACHE_HOME")}
        done = subprocess.run(["unshare", "-m", "sh", "-c", mounted, place, harness.WOA, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=harness.LIMIT_S, env=plain)
        if done.returncode == 77 or b"unshare" in done.stderr:
            self.skipTest(f"nobody may mount here: {done.stderr.decode()}")
        return done

    def test_a_cache_that_a_mount_makes_useless_is_named_before_a_kernel_is_built(self):
        """PoCL runs what it builds from its cache: without that it aborts in a firing, or blames the source."""
        graph = self.write("gpu.yaml", GPU)
        run = ("run", graph, "--in", "data=" + self.write("text", "x"))
        plain = self.woa(*run)
        if plain.returncode == 3 or self.woa(*run, environment={"POCL_CACHE_DIR": "/proc/x"}).returncode == 0:
            self.skip("opencl", plain.stderr.decode() or "its driver is not PoCL alone")
        for options, variable, why in (("noexec", "POCL_CACHE_DIR", "lies on a mount with the option noexec"),
                                       ("noexec", "XDG_CACHE_HOME", "lies on a mount with the option noexec"),
                                       ("noexec", "HOME", "lies on a mount with the option noexec"),
                                       ("ro", "POCL_CACHE_DIR", "cannot be written: Read-only file system"),
                                       ("size=64k", "POCL_CACHE_DIR", "and a kernel takes up to 1 MiB")):
            with self.subTest(options=options, variable=variable):
                folder = {"POCL_CACHE_DIR": "cache", "XDG_CACHE_HOME": "cache/pocl/kcache", "HOME": "cache/.cache/pocl/kcache"}[variable]
                reason = rf"PoCL's cache folder {self.path('mount')}/{folder} \(from {variable}\) .*{why}.*; set POCL_CACHE_DIR to a folder"
                done = self.on_mount(options, variable, *run)
                self.refused(done, 3, "error[unavailable]: controller 'gpu:0'")
                self.assertRegex(done.stderr.decode(), reason)
                self.assertRegex(self.on_mount(options, variable, "devices").stdout.decode(), f"opencl +unavailable: .*{reason}")
                if options == "ro" or variable == "HOME":
                    continue  # the doctor takes seconds
                findings = json.loads(self.on_mount(options, variable, "doctor", "--json").stdout)["findings"]
                found = next(each for each in findings if each["subject"] == "gpu (opencl)")
                self.assertRegex(found["found"], reason)
                self.assertNotEqual(found["health"], "good")
        # The advice, as it stands.
        done = self.on_mount("noexec", f"POCL_CACHE_DIR={self.path('elsewhere')} XDG_CACHE_HOME", *run)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_folder_gives_an_instance_per_file_in_name_order(self):
        os.mkdir(self.path("in"))
        os.mkdir(self.path("out"))
        for name in ("b", "a", "c"):
            self.write("in/" + name, name)
        result = self.run_json(HELLO, "--in", "text=" + self.path("in"), "--out", "copy=" + self.path("out/%i.txt"))
        self.assertEqual(result["instances"], 3)
        self.assertEqual([read(self.path(f"out/{k}.txt")) for k in range(3)], ["a", "b", "c"])

    def test_a_plan_runs_like_its_graph(self):
        text, plan = self.write("text", "x" * 1000), self.path("hello.plan")
        self.assertEqual(self.woa("compile", HELLO, "-o", plan, "--dot", self.path("hello.dot")).returncode, 0)
        self.assertIn("digraph", read(self.path("hello.dot")))
        before = read(plan, "rb")
        a, b = (self.run_json(what, "--in", "text=" + text, "--instances", "5") for what in (HELLO, plan))
        self.assertEqual(a["outputs"], b["outputs"])
        self.assertEqual(read(plan, "rb"), before)

    def test_the_trace_has_tracks_firings_and_an_arrow_per_hop(self):
        trace = self.path("trace.json")
        self.run_json(HELLO, "--in", "text=" + self.write("text", "x"), "--instances", "4", "--trace", trace)
        events = json.loads(read(trace))["traceEvents"]
        self.assertEqual(sum(event["ph"] == "X" and event["name"] == "second" for event in events), 4)
        starts = {event["id"]: event for event in events if event["ph"] == "s"}
        ends = {event["id"]: event for event in events if event["ph"] == "f"}
        self.assertEqual(len(starts), 4 * 3)
        self.assertEqual(set(starts), set(ends))
        self.assertTrue(all(starts[k]["ts"] <= ends[k]["ts"] for k in starts))
        names = {event["args"]["name"] for event in events if event.get("name") == "process_name"}
        self.assertEqual({name.split()[0] for name in names}, {"host", "cpu:0", "cpu:1"})

    def test_nothing_goes_through_the_caller(self):
        """With the host stopped, the last stage still fires `window` times under woa; under rpc-hub it cannot."""
        graph = self.write("slow.yaml", "woa: 1\ngraph: slow\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
                           "  first: {kernel: fail_if, in: {data: data}, params: {byte: 0, delay_ms: 100}, on: 'cpu:0'}\n"
                           "  last:  {kernel: fail_if, in: {data: first.data}, params: {byte: 0, delay_ms: 10}, on: 'cpu:1'}\n"
                           "outputs: {data: last.data}\n")
        token, window, held_s = self.write("token", "x"), 8, 4
        os.mkdir(self.path("out"))
        late = {}
        for model in ("woa", "rpc-hub"):
            trace = self.path(model + ".json")
            out = self.path("out/" + model)
            run = subprocess.Popen([WOA, "run", graph, "--in", "data=" + token, "--instances", str(window), "--window", str(window),
                                    "--model", model, "--trace", trace, "--out", "data=" + out + "%i", "--json"],
                                   stdout=subprocess.DEVNULL)
            while not os.path.exists(out + "0"):  # all are sent at once; the first has come back
                self.assertIsNone(run.poll())
                time.sleep(0.01)
            os.kill(run.pid, signal.SIGSTOP)
            time.sleep(held_s)
            os.kill(run.pid, signal.SIGCONT)
            self.assertEqual(run.wait(timeout=harness.LIMIT_S), 0)
            events = json.loads(read(trace))["traceEvents"]
            ends = sorted(event["ts"] / 1e6 for event in events if event["ph"] == "X" and event["name"] == "last")
            self.assertEqual(len(ends), window)
            late[model] = sum(end > ends[0] + held_s * 0.75 for end in ends)
        self.assertEqual(late["woa"], 0)
        self.assertGreater(late["rpc-hub"], 0)

    def test_a_killed_node_ends_the_run_with_its_name(self):
        graph = self.write("long.yaml", "woa: 1\ngraph: long\ninputs: {data: {type: bytes, max: 64}}\nstages:\n"
                           "  only: {kernel: fail_if, in: {data: data}, params: {byte: 0, delay_ms: 50}, on: 'cpu:3'}\n"
                           "outputs: {data: only.data}\n")
        run = subprocess.Popen([WOA, "run", graph, "--in", "data=" + self.write("token", "x"), "--instances", "1000", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        node = int(read(f"/proc/{run.pid}/task/{run.pid}/children").split()[0])
        os.kill(node, signal.SIGKILL)
        started = time.monotonic()
        out, error = run.communicate(timeout=harness.LIMIT_S)
        self.assertLess(time.monotonic() - started, 10)  # ten times the promise
        self.assertEqual(run.returncode, 1)
        self.assertIn("cpu:3", error.decode())
        result = json.loads(out)
        self.assertEqual(result["error"]["code"], "peer_lost")
        self.assertTrue(all(failure["code"] == "peer_lost" for failure in result["failures"]))

    def test_nodes_die_with_their_parent(self):
        run = subprocess.Popen([WOA, "run", HELLO, "--in", "text=" + self.write("text", "x"), "--instances", "1000000"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        time.sleep(1)
        nodes = [int(pid) for pid in read(f"/proc/{run.pid}/task/{run.pid}/children").split()]
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        deadline = time.monotonic() + 10
        while any(os.path.exists(f"/proc/{pid}") for pid in nodes) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse([pid for pid in nodes if os.path.exists(f"/proc/{pid}")])


if __name__ == "__main__":
    harness.main()
